import io
import socket
import subprocess
import sys

import pytest

from memory.settings import Settings
from ops.part import CannotStart
from ops.up import check_embedded_model, check_port, up


@pytest.fixture
def taken():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield listening.getsockname()[1]


def test_a_port_in_use_is_refused_at_once_and_named(taken, tmp_path):
    with pytest.raises(CannotStart, match=f"127.0.0.1:{taken}"):
        up(Settings(data_dir=str(tmp_path), port=taken), out=io.StringIO(), err=io.StringIO())


def test_an_address_of_another_machine_is_refused():
    with pytest.raises(CannotStart):
        check_port("192.0.2.1", 8900)


@pytest.mark.parametrize("told", [{"embed_model": "other"}, {"embed_dimension": 768}])
def test_another_name_for_the_embedded_model_is_refused_with_both(told, tmp_path):
    with pytest.raises(CannotStart, match=r"wrong_model.*all-MiniLM-L6-v2 \(384 numbers\)"):
        up(Settings(data_dir=str(tmp_path), port=0, **told), out=io.StringIO(), err=io.StringIO())


def test_a_server_of_the_users_own_may_have_any_name():
    check_embedded_model(Settings(embed_model="other", embed_dimension=768, embed_url="http://127.0.0.1:1"))


HOLD = """
import fcntl, sys
lock = open(sys.argv[1], "a+")
fcntl.flock(lock, fcntl.LOCK_EX)
lock.write("4711")
lock.flush()
print("held", flush=True)
sys.stdin.read()
"""


def test_a_folder_in_use_is_refused_and_says_by_whom(tmp_path):
    (tmp_path / "run").mkdir()
    command = [sys.executable, "-c", HOLD, str(tmp_path / "run" / "up.lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"

        with pytest.raises(CannotStart, match="process 4711"):
            up(Settings(data_dir=str(tmp_path)), out=io.StringIO(), err=io.StringIO())

        holder.stdin.close()


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(CannotStart, match="cannot be used"):
        up(Settings(data_dir=str(tmp_path / "file" / "data")), out=io.StringIO(), err=io.StringIO())

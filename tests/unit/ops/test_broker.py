from pathlib import Path

import pytest

from ops.broker import broker_command, broker_process, set_aside

UNREADABLE = ("something", "Bad file format reading the append only file appendonly.aof.1.incr.aof: make a backup")


def test_the_command_keeps_what_it_is_sent_and_opens_no_port():
    command = " ".join(broker_command(Path("/run/b.sock"), Path("/data/broker")))
    for words in ("--appendonly yes", "--appendfsync everysec", "--maxmemory-policy noeviction", "--port 0"):
        assert words in command
    assert "--unixsocket /run/b.sock --unixsocketperm 700" in command
    assert Path(command.split()[0]).exists()


def test_nobody_answers_on_a_socket_that_is_not_there(tmp_path):
    assert broker_process(tmp_path / "none.sock") is None


@pytest.mark.parametrize("lines", [UNREADABLE, ("*** FATAL AOF MANIFEST FILE ERROR ***", "Reading the manifest file")])
def test_an_unreadable_file_is_set_aside_not_deleted(tmp_path, lines):
    (tmp_path / "appendonlydir").mkdir()
    (tmp_path / "appendonlydir" / "x.aof").write_text("spoilt")

    said = set_aside(tmp_path, lines)

    (aside,) = tmp_path.iterdir()
    assert aside.name in said
    assert (aside / "x.aof").read_text() == "spoilt"


@pytest.mark.parametrize("lines", [(), ("Out of memory",), UNREADABLE])
def test_any_other_end_moves_nothing(tmp_path, lines):
    if lines is not UNREADABLE:
        (tmp_path / "appendonlydir").mkdir()
    before = list(tmp_path.iterdir())

    assert set_aside(tmp_path, lines) is None
    assert list(tmp_path.iterdir()) == before

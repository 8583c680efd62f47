import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from memory.errors import InvalidInput
from workers.cli import main, make_private


def refused(arguments, environ, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments, environ)
    return ended.value.code, capsys.readouterr().err


def test_without_a_brokers_address_it_says_how_to_give_one(capsys):
    code, said = refused(["--node", "a", "--lane", "background"], {}, capsys)

    assert code == 2
    assert "--broker" in said
    assert "REDIS_URL" in said


@pytest.mark.parametrize("name", ["", " "])
def test_a_node_without_a_name_is_a_usage_error_that_says_so(name, capsys):
    code, said = refused(["--node", name, "--lane", "background"], {"REDIS_URL": "redis://r"}, capsys)

    assert code == 2
    assert "--node is empty" in said


@pytest.mark.parametrize("missing", [["--node", "a"], ["--lane", "background"], ["--node", "a", "--lane", "host"]])
def test_node_and_a_nodes_lane_are_needed(missing, capsys):
    assert refused(missing, {"REDIS_URL": "redis://r"}, capsys)[0] == 2


def test_a_secret_that_cannot_be_read_ends_it_for_good(capsys):
    environ = {"REDIS_URL": "redis://r", "REDIS_PASSWORD_FILE": "/nowhere/secret"}

    code, said = refused(["--node", "a", "--lane", "background"], environ, capsys)

    assert code == 78
    assert "REDIS_PASSWORD_FILE" in said


@pytest.mark.parametrize("given", [["--broker", "http://r"], ["--nodes", "/nowhere/fleet.toml"], ["--nodes", "of_b"]])
def test_what_starting_again_cannot_mend_ends_it_for_good_without_a_traceback(given, tmp_path):
    (tmp_path / "of_b").write_text('[[node]]\nname = "b"\nembed_port = 1\n', encoding="utf-8")
    environ = {**os.environ, "REDIS_URL": "redis://127.0.0.1:1", "MEMLANE_DATA_DIR": str(tmp_path)}
    command = [Path(sys.executable).parent / "memlane-worker", "--node", "a", "--lane", "background", *given]

    ended = subprocess.run(command, env=environ, cwd=tmp_path, capture_output=True, text=True, timeout=30, check=False)

    assert ended.returncode == 78, ended.stderr
    assert "Traceback" not in ended.stderr
    assert any(words in ended.stderr for words in ("REDIS_URL must begin", "cannot be read", "has no node 'a'"))


def test_the_command_line_is_read_without_loading_celery():
    probe = "import sys, workers.cli; sys.exit('celery' in sys.modules or 'redis' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", probe], check=False).returncode == 0


def test_the_gates_folder_is_for_one_user_alone(tmp_path):
    make_private(tmp_path / "a" / "b")

    assert stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o700
    make_private(tmp_path / "a" / "b")


def test_a_gate_that_somebody_else_could_hold_shut_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("os.getuid", lambda: tmp_path.stat().st_uid + 1)

    with pytest.raises(InvalidInput, match="another user"):
        make_private(tmp_path)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").touch()

    with pytest.raises(InvalidInput, match="MEMLANE_DATA_DIR"):
        make_private(tmp_path / "file" / "run")

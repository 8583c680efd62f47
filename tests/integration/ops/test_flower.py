"""Flower beside a whole stack: it shows whose task ran where, and no word of what was sent."""

import os
import signal
import stat
import subprocess
import sys

import psutil
import pytest
import requests

from ops.child import ROOT
from ops.flower import EXIT_CONFIG, EXIT_TOO_LARGE
from ops.launched import Launched, wait_until
from ops.parts import free_ports

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
def up(tmp_path):
    (port,) = free_ports(1)
    stack = Launched(tmp_path / "data", {"MEMLANE_FLOWER_PORT": str(port)}, options=("--flower",))
    stack.start()
    stack.flower = f"http://127.0.0.1:{port}"
    yield stack
    assert stack.stop() == 0


def tasks(up, auth):
    answer = requests.get(f"{up.flower}/api/tasks", auth=auth, timeout=10)
    answer.raise_for_status()
    return answer


def answers(up, path, auth=None):
    try:
        return requests.get(up.flower + path, auth=auth, timeout=10).status_code
    except requests.ConnectionError:
        return 0


def test_it_shows_names_and_nodes_behind_a_password_and_comes_back_with_what_it_knew(up):
    file = up.data_dir / "run" / "flower.password"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    auth = ("memlane", file.read_text(encoding="utf-8").strip())
    wait_until(lambda: answers(up, "/tasks", auth) == 200, seconds=20, what="Flower answers")
    assert answers(up, "/tasks") == 401
    assert answers(up, "/api/tasks", ("memlane", "wrong")) == 401

    up.post("/v3/documents", content="The zygomorphic depot opens at seven.", wait=True)
    up.search("zygomorphic")
    shown = wait_until(
        lambda: {one["name"] for one in tasks(up, auth).json().values()} >= {"document.prepare", "embed.texts"} and
        tasks(up, auth), seconds=20, what="the tasks are shown",
    )  # fmt: skip

    assert "zygomorphic" not in shown.text
    ran = [one for one in shown.json().values() if one["name"] == "document.prepare"]
    assert ran[0]["worker"] == "host@local"
    assert "tenant=default item=" in ran[0]["kwargs"]
    for path in ("/tasks", "/workers", "/broker"):
        assert "zygomorphic" not in requests.get(up.flower + path, auth=auth, timeout=10).text

    (flower,) = up.children("-m ops.flower")
    flower.send_signal(signal.SIGTERM)
    psutil.wait_procs([flower], timeout=10)
    wait_until(lambda: answers(up, "/api/tasks", auth) == 200, seconds=20, what="Flower is started again")
    assert ran[0]["uuid"] in tasks(up, auth).json()


SMALL = "import sys, ops.flower as f; f.MEMORY_BYTES, f.LOOK_SECONDS = 1, 0.2; sys.exit(f.main())"


def test_it_ends_when_it_is_too_large_and_saves_what_it_knew(tmp_path):
    (port,) = free_ports(1)
    told = {"MEMLANE_DATA_DIR": str(tmp_path), "MEMLANE_FLOWER_PORT": str(port), "MEMLANE_FLOWER_PASSWORD": "pw"}

    ended = subprocess.run(
        [sys.executable, "-c", SMALL],
        cwd=ROOT,
        env={**os.environ, **told},
        capture_output=True,
        timeout=60,
        check=False,
    )

    assert ended.returncode == EXIT_TOO_LARGE, ended.stderr
    assert list((tmp_path / "flower").iterdir())
    assert b"pw" not in ended.stderr


def test_without_a_password_it_does_not_start_and_says_how_to_give_one(tmp_path):
    ended = subprocess.run(
        [sys.executable, "-m", "ops.flower"], cwd=ROOT, env={**os.environ, "MEMLANE_DATA_DIR": str(tmp_path)},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip

    assert ended.returncode == EXIT_CONFIG
    assert "MEMLANE_FLOWER_PASSWORD_FILE" in ended.stderr

"""A stack of its own for a demonstration: started as a user would, and ended whatever happens to the demonstration."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from memory.settings import environment_name
from ops.child import ROOT
from ops.keeper_link import KeeperLink

READY_SECONDS = 60.0
STOP_SECONDS = 20.0


class DemoFailed(Exception):
    """The demonstration did not do what it shows."""


@contextmanager
def running(folder: Path, port: int) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run a stack while the block runs.

    Args:
        folder: of its data and log.
        port: of its API.

    Yields:
        The supervisor's process and the API's address.

    Raises:
        DemoFailed: it is not ready in time.
    """
    click.echo("Starting the stack ...")
    environ = {**os.environ, environment_name("data_dir"): str(folder / "data"), environment_name("port"): str(port)}
    keeper = KeeperLink()
    with (folder / "up.log").open("wb") as log:
        stack = subprocess.Popen(
            (sys.executable, "-m", "ops", "up"),
            cwd=ROOT, env=environ, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True,
        )  # fmt: skip
    keeper.add(stack.pid)
    try:
        yield stack, _await_ready(stack, folder / "up.log")
    finally:
        _stop(stack)
        keeper.remove(stack.pid)
        keeper.close()


def _await_ready(stack: subprocess.Popen[str], log: Path) -> str:
    alarm = time.monotonic() + READY_SECONDS
    if stack.stdout is not None:
        os.set_blocking(stack.stdout.fileno(), False)
        while time.monotonic() < alarm and stack.poll() is None:
            word, _, address = (stack.stdout.readline() or "").strip().partition(" ")
            if word == "ready":
                return address
            time.sleep(0.05)
    raise DemoFailed(f"the stack is not ready; its last lines:\n{_tail(log)}")


def _tail(log: Path) -> str:
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:])


def _stop(stack: subprocess.Popen[str]) -> None:
    if stack.poll() is None:
        stack.terminate()
    try:
        stack.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        stack.kill()
        stack.wait()
    if stack.stdout is not None:
        stack.stdout.close()

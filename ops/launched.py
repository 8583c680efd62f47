"""A stack started as people start it, in a folder of its own: for tests, benchmarks and the demo."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import requests

from memory.settings import environment_name
from ops.child import ROOT
from ops.keeper_link import KeeperLink
from ops.parts import free_ports

READY_SECONDS = 60.0
STOP_SECONDS = 30.0


class LaunchFailed(RuntimeError):
    """The stack did not become ready, or did not end well; the end of its log says why."""


def wait_until(true: Any, *, seconds: float, what: str) -> Any:
    """Poll until `true()` is truthy and return what it returned; fails with `what` after `seconds`."""
    until = time.monotonic() + seconds
    while True:
        found = true()
        if found:
            return found
        if time.monotonic() > until:
            raise TimeoutError(f"not within {seconds} s: {what}")
        time.sleep(0.05)


class Launched:
    """One `memlane up` with its folder and port."""

    def __init__(
        self,
        data_dir: Path,
        environment: Mapping[str, str] | None = None,
        *,
        port: int | None = None,
        options: Sequence[str] = (),
    ) -> None:
        self.data_dir = data_dir
        self.options = tuple(options)  # of `memlane up`
        self.port = port or free_ports(1)[0]
        self.url = f"http://127.0.0.1:{self.port}"
        self.env = {**os.environ, "MEMLANE_URL": self.url, **(environment or {})}
        self.env.pop("MEMLANE_API_KEY", None)
        self.log = data_dir.parent / f"{data_dir.name}.log"
        self.process: subprocess.Popen[bytes] | None = None
        self.http = requests.Session()
        self._keeper: KeeperLink | None = None

    def start(self) -> Launched:
        """Start it and wait for its ready line.

        Raises:
            LaunchFailed: it ended before it was ready, or was not ready in time.
        """
        told = {
            **self.env,
            environment_name("data_dir"): str(self.data_dir),
            environment_name("port"): str(self.port),
        }
        # A pause in this stack is none of another's on this machine.
        told.setdefault(environment_name("pause_file"), str(self.data_dir / "run" / "paused.json"))
        with self.log.open("ab") as log:
            begin = log.tell()
            self.process = subprocess.Popen(
                [sys.executable, "-m", "ops", "up", *self.options],
                cwd=ROOT, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=told, start_new_session=True,
            )  # fmt: skip
        # Whatever becomes of this process, the stack is ended with it.
        self._keeper = KeeperLink()
        self._keeper.add(self.process.pid)
        try:
            self._until_ready(self.process, begin)
        except LaunchFailed:
            self.stop(number=signal.SIGKILL)
            raise
        return self

    def _until_ready(self, process: subprocess.Popen[bytes], begin: int) -> None:
        until = time.monotonic() + READY_SECONDS
        while b"\nready http://" not in b"\n" + self.log.read_bytes()[begin:]:
            if process.poll() is not None:
                raise LaunchFailed(f"ended with exit code {process.returncode} before it was ready:\n{self.tail()}")
            if time.monotonic() > until:
                raise LaunchFailed(f"not ready within {READY_SECONDS:.0f} s:\n{self.tail()}")
            time.sleep(0.02)

    def tail(self) -> str:
        """Return the last lines of its log."""
        return "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:])

    def stop(self, *, number: int = signal.SIGTERM) -> int:
        """Send a signal to the supervisor and return its exit code."""
        if self.process is None:
            raise LaunchFailed("the stack is not running")
        self.process.send_signal(number)
        try:
            code = self.process.wait(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        if self._keeper is not None:
            self._keeper.remove(self.process.pid)
            self._keeper.close()
        self.process = None
        self.http.close()
        return code

    def supervisor(self) -> psutil.Process:
        """Return the supervisor's process."""
        if self.process is None:
            raise LaunchFailed("the stack is not running")
        return psutil.Process(self.process.pid)

    def children(self, words: str) -> list[psutil.Process]:
        """Return the stack's processes whose command line contains `words`."""
        family = self.supervisor().children(recursive=True)
        return [one for one in family if words in " ".join(_command(one))]

    def get(self, path: str, **query: Any) -> Any:
        """GET JSON that is expected to be there."""
        return _accepted(self.http.get(self.url + path, params=query, timeout=60))

    def post(self, path: str, **body: Any) -> Any:
        """POST JSON that is expected to be accepted."""
        return _accepted(self.http.post(self.url + path, json=body, timeout=60))

    def job(self, job_id: str, *, seconds: float = 120) -> dict[str, Any]:
        """Wait for a job to end and return it."""

        def ended() -> dict[str, Any] | None:
            job: dict[str, Any] = self.get(f"/v1/jobs/{job_id}")
            return job if job["state"] not in ("queued", "running") else None

        found: dict[str, Any] = wait_until(ended, seconds=seconds, what=f"job {job_id} ends")
        return found

    def search(self, q: str, **more: Any) -> list[dict[str, Any]]:
        """Return the results of a search."""
        found: list[dict[str, Any]] = self.post("/v4/search", q=q, **more)["results"]
        return found


def _accepted(answer: requests.Response) -> Any:
    if not answer.ok:
        raise requests.HTTPError(f"{answer.status_code}: {answer.text}", response=answer)
    return answer.json()


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


@contextmanager
def running(
    data_dir: Path,
    environment: Mapping[str, str] | None = None,
    *,
    port: int | None = None,
    options: Sequence[str] = (),
) -> Iterator[Launched]:
    """Run a stack for the length of a block.

    Args:
        data_dir: its data folder; the log is put beside it.
        environment: settings on top of this process's.
        port: of the API; a free one when left out.
        options: of `memlane up`.

    Raises:
        LaunchFailed: it was not ready in time, or its exit code at the end was not 0.
    """
    stack = Launched(data_dir, environment, port=port, options=options)
    try:
        stack.start()
        yield stack
    finally:
        code = stack.stop() if stack.process is not None else 0
    if code != 0:
        raise LaunchFailed(f"the stack ended with exit code {code}; see {stack.log}")

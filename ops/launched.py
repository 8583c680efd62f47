"""A stack started as people start it, in a folder of its own: for tests, benchmarks and the demo."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import requests

MEMLANE = Path(sys.executable).with_name("memlane")
READY_SECONDS = 60.0


class LaunchFailed(RuntimeError):
    """The stack ended before it was ready; its log says why."""


def free_port() -> int:
    """Return a loopback port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


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

    def __init__(self, data_dir: Path, environment: Mapping[str, str] | None = None) -> None:
        self.data_dir = data_dir
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.env = {**os.environ, "MEMLANE_URL": self.url, **(environment or {})}
        self.env.pop("MEMLANE_API_KEY", None)
        self.log = data_dir.parent / f"{data_dir.name}.log"
        self.process: subprocess.Popen[bytes] | None = None
        self.http = requests.Session()

    def start(self) -> Launched:
        """Start it and wait for its ready line."""
        command = [str(MEMLANE), "up", "--data-dir", str(self.data_dir), "--port", str(self.port)]
        errors = self.log.open("ab")
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL, env=self.env,
            start_new_session=True,
        )  # fmt: skip
        errors.close()
        self._until_ready()
        return self

    def _until_ready(self) -> None:
        assert self.process is not None
        assert self.process.stdout is not None  # it was opened as a pipe
        until = time.monotonic() + READY_SECONDS
        seen = b""
        with self.log.open("ab") as copy:
            while not any(line.startswith(b"ready http://") for line in seen.splitlines()):
                left = until - time.monotonic()
                readable, _, _ = select.select([self.process.stdout], [], [], max(left, 0))
                if not readable:
                    raise TimeoutError(f"no ready line within {READY_SECONDS} s; see {self.log}")
                chunk = os.read(self.process.stdout.fileno(), 65536)
                if not chunk:
                    raise LaunchFailed(f"ended before it was ready: {self.log.read_text()[-3000:]}")
                seen += chunk
                copy.write(chunk)
        self._drain()

    def _drain(self) -> None:
        """Let a reader take the rest of the output, so that the stack never blocks on a full pipe."""
        assert self.process is not None
        source = self.process.stdout
        self.process.stdout = None
        subprocess.Popen(["cat"], stdin=source, stdout=self.log.open("ab"), start_new_session=True)

    def stop(self, *, number: int = signal.SIGTERM) -> int:
        """Send a signal to the supervisor and return its exit code."""
        assert self.process is not None
        self.process.send_signal(number)
        code = self.process.wait(timeout=30)
        self.process = None
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

        def ended() -> Any:
            job = self.get(f"/v1/jobs/{job_id}")
            return job if job["state"] not in ("queued", "running") else None

        return wait_until(ended, seconds=seconds, what=f"job {job_id} ends")

    def search(self, q: str, **more: Any) -> list[dict[str, Any]]:
        """Return the results of a search."""
        return self.post("/v4/search", q=q, **more)["results"]


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
def running(data_dir: Path, environment: Mapping[str, str] | None = None) -> Iterator[Launched]:
    """Run a stack for the length of a block; it ends clean or the test fails."""
    stack = Launched(data_dir, environment)
    try:
        stack.start()
        yield stack
    finally:
        code = stack.stop() if stack.process is not None else 0
    if code != 0:
        raise LaunchFailed(f"the stack ended with exit code {code}; see {stack.log}")

"""A stack for a benchmark: one that is running, or one of its own on a throw-away folder; and what it ran on."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import requests

from ops.launched import running

JOB_SECONDS = 1800.0
FINISHED = {"done", "partial", "failed", "cancelled"}


class Api:
    """The HTTP interface of a stack, over one kept connection."""

    def __init__(self, url: str) -> None:
        """Keep the address; `MEMLANE_API_KEY` is sent when it is set."""
        self._url = url.rstrip("/")
        self._session = requests.Session()
        if key := os.environ.get("MEMLANE_API_KEY"):
            self._session.headers["Authorization"] = f"Bearer {key}"

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Return the JSON answer of a POST.

        Raises:
            requests.HTTPError: the stack refused.
        """
        return self._json(self._session.post(self._url + path, json=body, timeout=120))

    def get(self, path: str) -> dict[str, Any]:
        """Return the JSON answer of a GET.

        Raises:
            requests.HTTPError: the stack refused.
        """
        return self._json(self._session.get(self._url + path, timeout=120))

    def finish(self, job_ids: list[str]) -> None:
        """Wait until jobs are done.

        Raises:
            RuntimeError: one ended otherwise, or not within half an hour.
        """
        until = time.monotonic() + JOB_SECONDS
        for job_id in job_ids:
            while (state := self.get(f"/v1/jobs/{job_id}")["state"]) not in FINISHED:
                if time.monotonic() > until:
                    raise RuntimeError(f"job {job_id} is still {state}")
                time.sleep(0.1)
            if state != "done":
                raise RuntimeError(f"job {job_id} ended as {state}")

    @staticmethod
    def _json(answer: requests.Response) -> dict[str, Any]:
        if not answer.ok:
            raise requests.HTTPError(f"{answer.status_code}: {answer.text[:500]}", response=answer)
        found: dict[str, Any] = answer.json()
        return found


@contextmanager
def stack(url: str | None) -> Iterator[Api]:
    """Give the stack at an address, or start one and end it afterwards."""
    if url:
        yield Api(url)
        return
    with tempfile.TemporaryDirectory(prefix="memlane-bench-") as folder, running(Path(folder) / "data") as own:
        yield Api(own.url)


def conditions(*files: Path, seed: int) -> dict[str, str]:
    """Say how a figure came about: command, data, seed and machine."""
    found = {"command": " ".join([Path(sys.executable).name, "-m", *_module_and_arguments()])}
    found |= {f"data {path.name}": f"sha256 {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in files}
    cores, memory = os.cpu_count(), psutil.virtual_memory().total / 2**30
    return found | {"seed": str(seed), "machine": f"{_processor()}, {cores} cores, {memory:.0f} GiB"}


def _module_and_arguments() -> list[str]:
    # Only file names: a kept result says nothing about where somebody keeps their files.
    return [
        f"benchmarks.{Path(sys.argv[0]).stem}",
        *(Path(part).name if "/" in part else part for part in sys.argv[1:]),
    ]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())

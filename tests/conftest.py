"""Fixtures shared by all tests."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ops.launched import Launched, running

# Where the machine's own files are. What is written there by a test meets a service that runs on the same machine.
OF_THE_MACHINE = ("/run", "/var", "/etc", "/opt", "/srv", "/usr")
# The arguments that are changed, by event; what a link points to is only named.
CHANGES = {
    **dict.fromkeys(("os.mkdir", "os.remove", "os.rmdir", "os.truncate"), slice(1)),
    "os.rename": slice(2),
    "os.link": slice(1, 2),
    "os.symlink": slice(1, 2),
}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# Temporary folders, the interpreter and this checkout may lie below one of them.
ALLOWED = tuple(map(os.path.realpath, (tempfile.gettempdir(), sys.prefix, Path(__file__).parents[1])))


def _stay_at_home(event: str, arguments: tuple[Any, ...]) -> None:
    """Fail whatever would write into a folder of the machine; not an OSError, which the code under test may expect."""
    if event == "open":
        paths = arguments[:1] if isinstance(arguments[2], int) and arguments[2] & WRITING else ()
    else:
        paths = arguments[CHANGES[event]] if event in CHANGES else ()
    for path in paths:
        if isinstance(path, str) and path.startswith(OF_THE_MACHINE) and not path.startswith(ALLOWED):
            raise AssertionError(f"A test must not write outside its folders: {event} {path}")


sys.addaudithook(_stay_at_home)


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launched]:
    """One real stack for all tests that only need some space of their own in it; it answers as the document tells."""
    # Only those who start a stack wait for the document to be made.
    from tests.documented import check_response

    with running(tmp_path_factory.mktemp("stack") / "data") as one:
        one.http.hooks["response"].append(check_response)
        yield one


@pytest.fixture
def space(request: pytest.FixtureRequest) -> str:
    """A space name of the test's own."""
    return request.node.name.replace("[", "-").replace("]", "")[:80]

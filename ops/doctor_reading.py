"""What `memlane doctor` says of the process that reads files: whether it works here, and what it is held to."""

from __future__ import annotations

from collections.abc import Iterator

from memory.errors import Unreadable
from memory.settings import Settings
from ops.finding import Finding
from services.reading.process import ReaderKilled, probe
from services.sourced import limits_of

AREA = "files"


def examine_reading(settings: Settings) -> Iterator[Finding]:
    """Start a reader and ask it.

    Args:
        settings: what it may use.
    """
    try:
        found = probe(limits_of(settings))
    except (Unreadable, ReaderKilled) as error:
        sentence = f"No file can be read here: {error.message}"
        yield Finding(area=AREA, state="problem", sentence=sentence)
        return
    if found["missing"]:
        sentence = f"Not installed whole, so these are not read: {', '.join(found['missing'])}."
        yield Finding(area=AREA, state="problem", sentence=sentence)
    if found["network"] and found["files"]:
        sentence = "A reader has no network, and reads no file but the one it is given."
        yield Finding(area=AREA, state="ok", sentence=sentence)
        return
    lacks = " and ".join(
        words for words, held in (("its network", found["network"]), ("other files", found["files"])) if not held
    )
    sentence = (
        f"The kernel does not keep a reader from {lacks} (Landlock, user namespaces): it is bounded all the same."
    )
    yield Finding(area=AREA, state="warning", sentence=sentence)

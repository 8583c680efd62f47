"""The process that reads one file: a request on standard input, its answer as JSON on standard output.

It is started afresh for each file, knows nothing but what it is sent, and is ended when it takes too long.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from services.reading import sandbox
from services.reading.extracted import Extracted
from services.reading.limits import ReadingLimits
from services.reading.refusals import CannotRead

TOO_MUCH_MEMORY = "The file needs more memory to be read than is allowed here. Split it and send the parts."
TOO_DEEP = "The file is nested too deeply to be read. Save it in a simpler form and send that."


def main(root: str) -> None:
    """Read the request, shut this process in, and answer.

    Args:
        root: the folder that the program runs from.
    """
    asked = json.loads(sys.stdin.buffer.readline())
    limits = ReadingLimits(**asked["limits"])
    walls = sandbox.shut(
        root, asked["parent"], seconds=limits.seconds, memory_bytes=limits.memory_bytes, chars=limits.chars
    )
    answer = {**asdict(walls), "missing": _missing()} if asked.get("probe") else _answer(asked, limits)
    json.dump(answer, sys.stdout, ensure_ascii=True)
    sys.stdout.flush()


def _missing() -> list[str]:
    """Return the names of readers that cannot be loaded."""
    from services.reading import readers

    missing = []
    for name, module in readers.MODULES.items():
        try:
            importlib.import_module(f"services.reading.{module}")
        except (ImportError, OSError):
            missing.append(name)
    return missing


def _answer(asked: Mapping[str, Any], limits: ReadingLimits) -> Mapping[str, Any]:
    try:
        from services.reading import readers

        body = sys.stdin.buffer.read()
        found = readers.read(body, asked["name"], asked["media_type"], asked["charset"], limits)
        return asdict(_bounded(found, limits))
    except CannotRead as error:
        return {"refused": str(error)}
    except MemoryError:
        return {"refused": TOO_MUCH_MEMORY}
    except RecursionError:
        return {"refused": TOO_DEEP}
    except Exception as error:
        # A parser's own words may quote the file, and are no help to a person.
        where = f"{type(error).__module__}.{type(error).__name__}".removeprefix("builtins.")
        return {"refused": f"The file is damaged or no valid file of its kind ({where}). Save it again and send that."}


def _bounded(found: Extracted, limits: ReadingLimits) -> Extracted:
    if len(found.text) <= limits.chars:
        return found
    cut = max(found.text.rfind("\n", 0, limits.chars), limits.chars // 2)
    left_out = f"Only the first {cut:,} of {len(found.text):,} characters were kept."
    fields = {**asdict(found), "text": found.text[:cut], "warnings": (*found.warnings, left_out)}
    return Extracted(**fields)

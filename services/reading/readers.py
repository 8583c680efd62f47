"""Every reader by its name, and the choice between them; only the child process imports this."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from services.reading.extracted import Extracted
from services.reading.kinds import BY_SUFFIX, Kind, kind_of, suffix_of
from services.reading.limits import ReadingLimits
from services.reading.markdown import clean
from services.reading.refusals import CannotRead

# The module of each reader; a library is loaded when a file needs it.
MODULES: Final[Mapping[str, str]] = {
    "pdf": "pdf", "docx": "docx", "pptx": "pptx", "xlsx": "xlsx", "epub": "epub", "html": "page", "svg": "svg",
    "mail": "mail", "table": "separated", "json": "json_text", "notebook": "notebook", "code": "code", "plain": "plain",
}  # fmt: skip
# Endings of files that are no text.
_PACKED = {"pdf": "pdf", "docx": "docx", "docm": "docx", "pptx": "pptx", "xlsx": "xlsx", "xlsm": "xlsx", "epub": "epub"}

_CALLED = {
    "pdf": "a PDF", "docx": "a Word document", "pptx": "a presentation", "xlsx": "a spreadsheet", "epub": "a book",
    "html": "HTML", "svg": "an SVG drawing", "mail": "an e-mail",
}  # fmt: skip


def read(
    body: bytes, name: str | None, media_type: str | None, charset: str | None, limits: ReadingLimits
) -> Extracted:
    """Read a file.

    Args:
        body: the whole file.
        name: its name.
        media_type: as its sender declares it.
        charset: as its sender declares it.
        limits: what it may cost.

    Raises:
        CannotRead: there is no text in it that could be read.
    """
    kind = kind_of(body, name, media_type)
    reader = importlib.import_module(f"services.reading.{MODULES[kind.reader]}")
    found: Extracted = reader.read(body, kind, charset=charset, limits=limits)
    # Whatever a library gave: half a surrogate pair or a NUL could not be kept.
    text, title = clean(found.text), " ".join(clean(found.title or "").split())
    if not text.strip():
        raise CannotRead("There is no text in this file.")
    other = _misnamed(kind, name)
    warnings = tuple(map(clean, (*((other,) if other else ()), *found.warnings)))
    return replace(found, text=text, title=title or None, media_type=kind.media_type, warnings=warnings)


def _misnamed(kind: Kind, name: str | None) -> str | None:
    """Say that a name promises another kind of file than the content is."""
    suffix = suffix_of(name)
    by_name = _PACKED.get(suffix) or (BY_SUFFIX[suffix].reader if suffix in BY_SUFFIX else None)
    packed = kind.reader in _PACKED.values() or by_name in _PACKED.values()
    if by_name is None or by_name == kind.reader or not packed:
        return None
    called = _CALLED.get(kind.reader, "text")
    return f"The name ends in .{suffix}, but the content is {called}; it was read as that."

"""Reads what other places give out: lists of Supermemory's documents and memories, and plain Markdown.

A list is the JSON that Supermemory's list routes answer, one or several pages of it, or the entries alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memlane.errors import MemlaneError
from memlane.folders import Found, walk
from memlane.texts import read_file

MARKDOWN = (".md", ".markdown", ".mdown", ".mkd")
HEADER = re.compile(rb'^\s*\{\s*"line"\s*:\s*"header"')
# Between two lines of dashes at the very beginning, as Jekyll, Hugo and Obsidian write it.
_FRONT = re.compile(r"\A---[ \t]*\n(.*?\n)---[ \t]*(?:\n|\Z)", re.DOTALL)
_PAIR = re.compile(r"^([A-Za-z][\w-]*)\s*:[ \t]*(.*?)[ \t]*$")
_ITEM = re.compile(r"^\s*-\s+(.*?)\s*$")
_JOINED = re.compile(r"(?<=[a-z])_([a-z])")
_DATES = ("date", "created", "created_at")


class NotImportable(MemlaneError, ValueError):
    """Not an export of Memlane, a list of Supermemory's, or Markdown."""

    exit_code = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document to be handed in."""

    shown: str
    content: str
    custom_id: str
    space: str | None = None
    title: str | None = None
    filepath: str | None = None
    date: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A memory to be written."""

    shown: str
    content: str
    space: str | None = None
    static: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """Something that is not taken, and why."""

    shown: str
    reason: str


Entry = Document | Fact | Left


def is_export(path: Path) -> bool:
    """Tell whether a file begins as an export of Memlane does."""
    with path.open("rb") as file:
        return HEADER.match(file.read(256)) is not None


def of_list(path: Path) -> Iterator[Entry]:
    """Yield the entries of a list of Supermemory's.

    Args:
        path: of a file with the JSON of one answer, of a list of answers or entries, or with one of these a line.

    Raises:
        NotImportable: it is none of these.
        MemlaneError: it is no text.
    """
    found = False
    for value in _values(read_file(path.resolve(strict=True))):
        for one in _entries(value):
            found = True
            yield _entry(one)
    if not found:
        raise NotImportable(f"{path} has no document and no memory in it.")


def _values(text: str) -> Iterator[Any]:
    try:
        yield json.loads(text)
        return
    except ValueError:
        lines = [line for line in text.split("\n") if line.strip()]
    try:
        yield from [json.loads(line) for line in lines]
    except ValueError as error:
        raise NotImportable(f"This is neither JSON nor JSON lines: {error}.") from error


def _entries(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, list):
        for one in value:
            yield from _entries(one)
    elif isinstance(value, Mapping):
        value = _camel(value)
        lists = [value[name] for name in ("memories", "documents", "memoryEntries", "results") if name in value]
        if lists and all(isinstance(one, list) for one in lists):
            for one in lists:
                yield from _entries(one)
        else:
            yield value


def _camel(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an object under the names of the wire; clients in Python write out their own."""
    return {_JOINED.sub(lambda part: part[1].upper(), str(name)): inner for name, inner in value.items()}


def _entry(one: Mapping[str, Any]) -> Entry:
    shown = str(one.get("customId") or one.get("id") or "an entry without an id")
    metadata = one.get("metadata") if isinstance(one.get("metadata"), Mapping) else {}
    tags = one.get("containerTags") or ([one["containerTag"]] if one.get("containerTag") else [])
    space = str(tags[0]) if isinstance(tags, list) and tags else None
    if isinstance(one.get("memory"), str):
        return _fact(one, shown, space, metadata)
    content = one.get("content") or one.get("raw")
    if not isinstance(content, str) or not content.strip():
        return Left(shown=shown, reason="it has no content; list with `includeContent: true`")
    return Document(
        shown=shown, content=content, custom_id=str(one.get("customId") or f"supermemory:{one.get('id', '')}"),
        space=space, title=_text(one, "title"), filepath=_text(one, "filepath"),
        date=_text(one, "documentDate") or _text(one, "createdAt"), metadata=metadata or {},
    )  # fmt: skip


def _fact(one: Mapping[str, Any], shown: str, space: str | None, metadata: Any) -> Entry:
    if one.get("isForgotten"):
        return Left(shown=shown, reason="it is forgotten")
    if one.get("isLatest") is False:
        return Left(shown=shown, reason="a later version of it is known")
    return Fact(
        shown=shown,
        content=str(one["memory"]),
        space=space,
        static=one.get("isStatic") is True,
        metadata=metadata or {},
    )


def _text(one: Mapping[str, Any], name: str) -> str | None:
    value = one.get(name)
    return value if isinstance(value, str) and value.strip() else None


def of_folder(path: Path) -> Iterator[Entry]:
    """Yield the Markdown files of a folder, or one file.

    Args:
        path: which exists.
    """
    for found in walk([path]):
        if not isinstance(found, Found):
            yield Left(shown=found.shown, reason=found.reason)
        elif found.path.suffix.lower() not in MARKDOWN:
            yield Left(shown=found.shown, reason="not Markdown; `memlane ingest` takes other files")
        else:
            yield _markdown(found)


def _markdown(found: Found) -> Entry:
    try:
        text = read_file(found.path)
    except (MemlaneError, OSError) as error:
        reason = error.message if isinstance(error, MemlaneError) else error.strerror or str(error)
        return Left(shown=found.shown, reason=reason)
    front, content = _front_matter(text)
    if not content.strip():
        return Left(shown=found.shown, reason="there is nothing but its front matter")
    date = next((str(front.pop(name)) for name in _DATES if isinstance(front.get(name), str)), None)
    title = front.pop("title", None)
    return Document(
        shown=found.shown, content=content, custom_id=found.custom_id, filepath=found.filepath, date=date,
        title=title if isinstance(title, str) and title else found.title, metadata=front,
    )  # fmt: skip


def _front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Take names with texts, or with lists of texts, off the beginning; what is written otherwise stays in the text."""
    matched = _FRONT.match(text)
    if matched is None:
        return {}, text
    told: dict[str, Any] = {}
    name = None
    for line in matched.group(1).splitlines():
        pair, item = _PAIR.match(line), _ITEM.match(line)
        if pair is not None:
            name = pair.group(1)
            told[name] = _value(pair.group(2))
        elif item is not None and name is not None:
            told[name] = [*(told[name] if isinstance(told[name], list) else []), _bare(item.group(1))]
        elif line.strip() and not line.lstrip().startswith("#"):
            return {}, text
    return {name: value for name, value in told.items() if value not in ("", [])}, text[matched.end() :]


def _value(text: str) -> Any:
    if text.startswith("[") and text.endswith("]"):
        return [_bare(one) for one in text[1:-1].split(",") if one.strip()]
    return _bare(text)


def _bare(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text

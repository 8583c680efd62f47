"""Finds the files of a folder by one stated rule, and says of everything else why it was left out.

The rule (docs/cli.md has it for users):
* Names that begin with a dot, and folders of tools and of installed code (`VENDOR`), are skipped with all they hold.
* No link is followed below the folder given: what it points to is read under its own name, or lies outside.
* Only regular files are opened; pipes, sockets and devices are not, so nothing blocks.
* A folder or file given by name is taken as it is, hidden or a link.

Reading a path is trusted to the person who named it; a link that somebody else left in the folder is not.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

# Folders that package managers and tools fill; their text is not the user's.
VENDOR = frozenset({
    "node_modules", "bower_components", "jspm_packages", "vendor", "site-packages", "__pycache__", "__pypackages__",
    "venv", "virtualenv",
})  # fmt: skip
# Marks a folder as a virtual environment or a cache, whatever its name.
MARKERS = ("pyvenv.cfg", "CACHEDIR.TAG")
# Every server takes an id of this length; a longer path is named by its hash instead.
MOST_ID_CHARS = 200
# The server's limit for a path; a longer one is left out.
MOST_PATH_CHARS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A regular file to read."""

    path: Path  # canonical
    shown: str  # as the user would name it
    custom_id: str  # file:<folder name>/<relative path>
    filepath: str | None  # <folder name>/<relative path>, with slashes; None when it is too long to be kept
    title: str  # the file's name


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """Something left out by the rule."""

    shown: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """Something that should have been read and could not be."""

    shown: str
    reason: str


Entry = Found | Skipped | Unreadable


def walk(paths: Sequence[Path]) -> Iterator[Entry]:
    """Yield every entry of some files and folders in a stable order, each canonical file once.

    Args:
        paths: files and folders that exist.

    Yields:
        What was found, what was skipped and what could not be read.
    """
    seen: set[Path] = set()
    ids: dict[str, Path] = {}
    for path in paths:
        for entry in _entries(path, seen):
            yield _unique(entry, seen, ids) if isinstance(entry, Found) else entry


def _unique(found: Found, seen: set[Path], ids: dict[str, Path]) -> Entry:
    if found.path in seen:
        return Skipped(shown=found.shown, reason="already read under another name")
    seen.add(found.path)
    other = ids.setdefault(found.custom_id, found.path)
    if other != found.path:
        reason = f"would replace {text_of(str(other))}: both are {found.custom_id}; use another --container-tag"
        return Unreadable(shown=found.shown, reason=reason)
    return found


def _entries(path: Path, seen: set[Path]) -> Iterator[Entry]:
    try:
        root = path.resolve(strict=True)
        mode = root.stat().st_mode
    except (OSError, RuntimeError) as error:
        yield Unreadable(shown=text_of(str(path)), reason=_reason(error))
        return
    if stat.S_ISDIR(mode):
        yield from _folder(root, path, seen)
    elif stat.S_ISREG(mode):
        yield _found(root, root.parent, path.parent)
    else:
        yield Skipped(shown=text_of(str(path)), reason="not a regular file; pipe it into `memlane ingest -` instead")


def _folder(root: Path, given: Path, seen: set[Path]) -> Iterator[Entry]:
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        shown = text_of(str(given / folder.relative_to(root)))
        if folder in seen:
            yield Skipped(shown=shown, reason="folder already read")
            continue
        seen.add(folder)
        try:
            with os.scandir(folder) as scan:
                names = sorted(entry.name for entry in scan)
        except OSError as error:
            yield Unreadable(shown=shown, reason=_reason(error))
            continue
        below: list[Path] = []
        for name in names:
            entry = _entry(folder / name, root, given)
            if isinstance(entry, Path):
                below.append(entry)
            else:
                yield entry
        waiting.extend(reversed(below))


def _entry(path: Path, root: Path, given: Path) -> Entry | Path:
    shown = text_of(str(given / path.relative_to(root)))
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            return Skipped(shown=shown, reason=_link_reason(path, root))
        if (reason := _excluded(path.name, path if stat.S_ISDIR(mode) else None)) is not None:
            return Skipped(shown=shown, reason=reason)
    except OSError as error:
        return Unreadable(shown=shown, reason=_reason(error))
    if stat.S_ISDIR(mode):
        return path
    if not stat.S_ISREG(mode):
        return Skipped(shown=shown, reason="not a regular file")
    return _found(path, root, given)


def _excluded(name: str, folder: Path | None) -> str | None:
    if name.startswith("."):
        return "hidden"
    if folder is None:
        return None
    if name in VENDOR or name.endswith(".egg-info"):
        return "folder of installed code or a tool"
    marker = next((marker for marker in MARKERS if (folder / marker).is_file()), None)
    return f"folder marked by {marker}" if marker else None


def _link_reason(link: Path, root: Path) -> str:
    try:
        target = link.resolve(strict=True)
    except FileNotFoundError:
        return "broken link"
    except (OSError, RuntimeError):
        return "link loop"
    if target == root or target in link.parents:
        return "link loop: it leads back to a folder it lies in"
    if not target.is_relative_to(root):
        return "link that leads outside the folder"
    inner = target.relative_to(root)
    hidden = any(_excluded(part, root.joinpath(*inner.parts[: at + 1])) for at, part in enumerate(inner.parts))
    return "link to something that is skipped" if hidden else f"link to {text_of(inner.as_posix())}, read there"


def _found(path: Path, root: Path, given: Path) -> Found:
    relative = path.relative_to(root)
    name = text_of("/".join((root.name or "root", *relative.parts)))
    return Found(
        path=path,
        shown=text_of(str(given / relative)),
        custom_id=_custom_id(name),
        filepath=name if len(name) <= MOST_PATH_CHARS else None,
        title=text_of(path.name),
    )


def _custom_id(name: str) -> str:
    if len(name) + len("file:") <= MOST_ID_CHARS:
        return f"file:{name}"
    return f"file:sha256-{hashlib.sha256(name.encode()).hexdigest()}"


def text_of(name: str) -> str:
    """Return a file name as text that can be sent; bytes that are not UTF-8 are written as escapes."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def _reason(error: OSError | RuntimeError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)

"""What an extractor is shown at a time: a group of a document's chunks, or a window of a conversation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory.records import Micros

# Characters of a group: two chunks, which a small model reads in one piece. Source: design section 7.
GROUP_CHARS = 3000
# Messages before a window that say who "she" is; nothing is extracted from them.
CONTEXT_MESSAGES = 2
# A long message is cut at white space within this many characters before the limit.
_LOOK_BACK = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """A piece of a source that facts may rest on."""

    text: str
    offset: int = 0  # of the text in its document or message, characters
    speaker: str | None = None  # who says it, or the document's title
    role: str | None = None  # of a message: user, assistant or tool; None for a document
    index: int | None = None  # of a message in its conversation
    said_at: Micros | None = None
    said_zone: str | None = None
    recalled: tuple[tuple[int, int], ...] = ()  # spans of recalled context, as the whole source shows them
    about: str = ""  # heading paths: what stands above the text


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A run of messages, or of one message a part that fits."""

    first: int  # index of the first message
    after: int  # index behind the last one
    start: int = 0  # characters of the first message that are left out in front
    end: int | None = None  # where its text ends; None: with it


def chunk_groups(lengths: Sequence[int]) -> list[tuple[int, int]]:
    """Group neighbouring chunks so that each group has about 3,000 characters.

    Args:
        lengths: of the chunks, in characters.

    Returns:
        (first, behind the last) of each group; together all chunks, in order.
    """
    groups: list[tuple[int, int]] = []
    first, size = 0, 0
    for position, length in enumerate(lengths):
        if position > first and size + length > GROUP_CHARS:
            groups.append((first, position))
            first, size = position, 0
        size += length
    return [*groups, (first, len(lengths))] if lengths else []


def message_windows(texts: Sequence[str], *, first: int = 0) -> list[Part]:
    """Cut messages into windows of about 3,000 characters; a message that is longer is cut into parts.

    Args:
        texts: the messages.
        first: index of the first of them.

    Returns:
        The windows in order; together they hold every character once.
    """
    windows: list[Part] = []
    begin, size = 0, 0
    for position, text in enumerate(texts):
        if position > begin and size + len(text) > GROUP_CHARS:
            windows.append(Part(first=first + begin, after=first + position))
            begin, size = position, 0
        if len(text) > GROUP_CHARS:
            windows += [
                Part(first=first + position, after=first + position + 1, start=start, end=end)
                for start, end in _parts(text)
            ]
            begin, size = position + 1, 0
        else:
            size += len(text)
    if begin < len(texts):
        windows.append(Part(first=first + begin, after=first + len(texts)))
    return windows


def _parts(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while len(text) - start > GROUP_CHARS:
        limit = start + GROUP_CHARS
        spaces = (text.rfind(mark, limit - _LOOK_BACK, limit) for mark in ("\n\n", "\n", ". ", " "))
        cut = next((found + 1 for found in spaces if found > start), limit)
        yield start, cut
        start = cut
    yield start, len(text)

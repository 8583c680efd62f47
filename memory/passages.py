"""What of a piece of evidence an answer may quote: what somebody states, not code, headings or the question itself."""

from __future__ import annotations

from collections.abc import Sequence

from memory.extraction import block_statements
from memory.markdown_blocks import scan_blocks
from memory.records import Source
from memory.sentences import sentences

# A statement up to this long is quoted whole: its sentences explain each other ("The standing order is 400 kg").
WHOLE_CHARS = 240

_AFTER_STOP = "\"'”’»)]*_ "


def of_chunk(body: str) -> list[str]:
    """Return the sentences and table rows of a chunk, without inline marks; nothing when it is all code.

    Args:
        body: the chunk without its heading path.
    """
    blocks = scan_blocks(body, front_matter=False)
    return [text for block in blocks for text, _, _ in block_statements(body, block) if text]


def of_statement(statement: str) -> list[str]:
    """Return a statement whole when it is short, else its sentences."""
    if len(statement) <= WHOLE_CHARS:
        return [statement]
    return [statement[start:end] for start, end in sentences(statement)]


def asks(text: str) -> bool:
    """Tell whether a passage ends with a question."""
    return text.rstrip(_AFTER_STOP).endswith(("?", "？", "؟"))


def lies_within(inner: Sequence[Source], outer: Sequence[Source]) -> bool:
    """Tell whether all that something rests on was cited before, as part of a chunk.

    Args:
        inner: the sources of a memory.
        outer: the sources of chunks.
    """
    return bool(inner) and all(any(_covers(whole, part) for whole in outer) for part in inner)


def _covers(whole: Source, part: Source) -> bool:
    if part.document_id is None or (whole.document_id, whole.revision) != (part.document_id, part.revision):
        return False
    places = (whole.start, part.start, part.end, whole.end)
    known = [place for place in places if place is not None]
    return len(known) == len(places) and known == sorted(known)

"""What a document is about, said in its own opening sentences: no model is needed, and nothing is made up."""

from __future__ import annotations

from memory.extraction import block_statements
from memory.instructions import reads_as_instruction
from memory.markdown_blocks import scan_blocks

# Three sentences of prose.
SUMMARY_CHARS = 300
# Where a text says nothing within so many characters, it has no opening.
LOOKED_AT_CHARS = 8_000


def summary_of(content: str) -> str | None:
    """Return the first sentences of a text that fit 300 characters.

    Args:
        content: Markdown or plain text.

    Returns:
        Whole sentences of prose, joined by a blank; of a single longer one its beginning, ended by "…". Headings, code,
        tables, front matter, comments and orders to a reader are passed over. None when nothing is left.
    """
    region = content[:LOOKED_AT_CHARS]
    said: list[str] = []
    for block in scan_blocks(region):
        if block.kind != "prose":
            continue
        for text, _, _ in block_statements(region, block):
            if reads_as_instruction(text):
                continue
            if said and len(" ".join((*said, text))) > SUMMARY_CHARS:
                return " ".join(said)
            said.append(text)
    whole = " ".join(said)
    return _shortened(whole) if whole else None


def _shortened(text: str) -> str:
    if len(text) <= SUMMARY_CHARS:
        return text
    cut = text[: SUMMARY_CHARS - 1]
    return f"{cut.rpartition(' ')[0] or cut}…"

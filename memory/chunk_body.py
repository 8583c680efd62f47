"""What a chunk shows of its span: no outer white space, and a split fence or table made whole."""

from __future__ import annotations

# Characters of indentation, and of blank code at a cut, that are kept at most.
LONGEST_BLANK = 32


def shown(text: str, opening: str, closing: str) -> str:
    """Return a span's text as it is embedded and shown.

    Args:
        text: the span.
        opening: put in front, the opening line of a split fence; empty for a span that is no later part of something.
        closing: put behind, e.g. "```".

    Returns:
        The text without leading blank lines and trailing white space. Beside an opening or closing white space is code
        and stays, up to 32 characters.
    """
    code = text.lstrip()
    blank = text[: len(text) - len(code)]
    if not opening or len(blank) > LONGEST_BLANK:
        blank = blank[max(blank.rfind("\n"), blank.rfind("\r")) + 1 :][-LONGEST_BLANK:]
    inner = code.rstrip()
    tail = code[len(inner) :] if closing else ""
    if len(tail) > LONGEST_BLANK:
        tail = "" if closing.startswith("\n") else "\n"
    return f"{opening}{blank}{inner}{tail}{closing}"


def headed(heading: tuple[str, ...], body: str) -> str:
    """Return a chunk as it is embedded, indexed and shown: its heading path, then its body."""
    return f"{' > '.join(heading)}\n{body}" if heading else body

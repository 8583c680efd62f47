"""Aligns a request's messages with the stored conversation: what is new, what is known, what was edited."""

from __future__ import annotations

from collections.abc import Sequence

from memory.errors import HistoryDiffers

Turn = tuple[str, str | None, str]  # role, name, content

# One equal message inside the stored history is a coincidence ("ok"); two in a row are a resend.
_RESENT = 2
# A request that lies wholly inside the history is a late retry from this length on; shorter ones may be said again.
_RETRIED = 3


def align(stored: Sequence[Turn], incoming: Sequence[Turn]) -> int:
    """Count how many of the incoming messages are stored already; the rest is appended.

    The rule, in this order, after leading system messages that are stored as the first ones are set aside:

    1. The longest stored tail that equals the request's head is known. A full resend, a resend with new messages behind
       it and an overlapping window all meet here; "ok" sent again directly after "ok" counts as a resend.
    2. If the request follows the stored history from its start for one message or more, or from another place for two
       or more, further than rule 1 found, and then differs before the history ends, a message was edited. So it was if
       the first message differs but at least two others, and at least half, stand unchanged in their places.
    3. If the whole request lies in the history (two messages or more at its start, three or more elsewhere), it is a
       late retry and nothing is new.
    4. Anything else is new: an incremental client sends only what was said since.

    Args:
        stored: (role, name, content) of each stored message, in order.
        incoming: the same of the request.

    Returns:
        The number of incoming messages, counted from the first, that are stored already: 0 to len(incoming).

    Raises:
        HistoryDiffers: an earlier message was edited; the details name its `index` in the stored conversation.
    """
    prompts = _shared_prompts(stored, incoming)
    old, new = _numbered(stored[prompts:], incoming[prompts:])
    if not old or not new:
        return prompts
    follows = _follows(old, new)
    known = next((len(old) - at for at in range(len(old)) if at + follows[at] == len(old)), 0)
    if known in (len(old), len(new)):
        return prompts + known
    edited = _edited(old, new, follows, known)
    if edited is not None:
        raise HistoryDiffers(index=prompts + edited)
    if follows[0] == len(new) >= _RESENT or any(length == len(new) >= _RETRIED for length in follows):
        return prompts + len(new)
    return prompts + known


def _shared_prompts(stored: Sequence[Turn], incoming: Sequence[Turn]) -> int:
    """Count the leading system messages that both have: clients put them before a window of recent messages."""
    count = 0
    for one, other in zip(stored, incoming, strict=False):
        if one != other or one[0] != "system":
            break
        count += 1
    return count


def _numbered(stored: Sequence[Turn], incoming: Sequence[Turn]) -> tuple[list[int], list[int]]:
    """Give equal messages equal numbers, so that comparing them costs the same however long they are."""
    numbers: dict[Turn, int] = {}
    old, new = ([numbers.setdefault(turn, len(numbers)) for turn in turns] for turns in (stored, incoming))
    return old, new


def _follows(old: list[int], new: list[int]) -> list[int]:
    """Return, for each stored place, how many messages from there on equal the request's first ones (Z function)."""
    text = [*new, -1, *old]
    lengths = [0] * len(text)
    left = right = 0
    for at in range(1, len(text)):
        length = min(right - at, lengths[at - left]) if at < right else 0
        while at + length < len(text) and text[length] == text[at + length]:
            length += 1
        lengths[at] = length
        if at + length > right:
            left, right = at, at + length
    return lengths[len(new) + 1 :]


def _edited(old: list[int], new: list[int], follows: list[int], known: int) -> int | None:
    """Return the index of the stored message that the request has otherwise, None when there is none."""
    best = None
    for at, length in enumerate(follows):
        enough = length >= (1 if at == 0 else _RESENT)
        differs = length < len(new) and at + length < len(old)
        if enough and differs and length > max(known, follows[best] if best is not None else 0):
            best = at
    if best is not None:
        return best + follows[best]
    if follows[0] == 0:
        same = sum(one == other for one, other in zip(old, new, strict=False))
        if same >= _RESENT and same > known and 2 * same >= min(len(old), len(new)):
            return 0
    return None

"""Two kinds of change that need the statements read: another measure in the same words, and a denial taken back."""

from __future__ import annotations

from memory.pairs.change_words import ADDITIVE, AUXILIARIES, NOWS, PLANS, STATES, UNCHANGING
from memory.pairs.denials import is_denial
from memory.pairs.quantities import Quantity
from memory.pairs.quantity_reading import parts
from memory.pairs.texts import Side

# A figure behind these says when something is so, not what is so: it may be so at another time too.
_WHEN = frozenset("after before nach vor après avant después antes depois dopo prima после до from until till".split())
# There may be one more of these.
_ONE_MORE = frozenset(("weekday", "month", ""))
_HAVE = frozenset("has have had habe hat ai ont a tengo tiene tem tenho ho ha".split())
_HELPING = frozenset("do does did don't doesn't didn't".split())


def other_measure(old: Side, new: Side) -> bool:
    """Tell whether two statements are the same but for their only value, a measure or a time of day.

    "The hives are inspected every fortnight", "... every week": values of several words, of which no two words need be
    the same.
    """
    before, after = (
        [part for part in parts(one.text) if not (isinstance(part, str) and part in NOWS)] for one in (old, new)
    )
    if len(before) != len(after) or sum(isinstance(part, Quantity) for part in before) != 1:
        return False
    apart = [at for at, (one, other) in enumerate(zip(before, after, strict=True)) if one != other]
    if len(apart) != 1 or apart[0] < 2:
        return False
    one, other = before[apart[0]], after[apart[0]]
    if not (isinstance(one, Quantity) and isinstance(other, Quantity)) or one.kind != other.kind or one.equals(other):
        return False
    words = {part for part in before if isinstance(part, str)}
    if one.kind in _ONE_MORE or before[apart[0] - 1] in _WHEN or not words.isdisjoint(UNCHANGING | ADDITIVE | _HAVE):
        return False
    return not words.isdisjoint(STATES)


def denial_taken_back(old: Side, new: Side) -> bool:
    """Tell whether the new statement says "now", and is the old one but for being denied in one of them."""
    if old.denies == new.denies or NOWS.isdisjoint(new.tokens) or not NOWS.isdisjoint(old.tokens):
        return False
    before, after = (
        [token for token in one.tokens if not (is_denial(token) or token in NOWS or token in _HELPING)]
        for one in (old, new)
    )
    aside = PLANS | UNCHANGING | AUXILIARIES
    return before == after and len(before) > 2 and aside.isdisjoint(before)

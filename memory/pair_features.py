"""What speaks for and against two statements being one fact, as numbers; none depends on which is the older."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from memory.change_words import OCCASIONS, PLANS, SHADES
from memory.judging import Pair
from memory.pair_changes import tells_change
from memory.pair_events import only_one_tells_event
from memory.pair_texts import Side, missing
from memory.synonyms import LIGHT, canonical

# A statement of whose tokens the other has this share in the same order is contained in it.
CONTAINED = 0.8
# Words of which less of the three-letter parts are shared are no forms of each other.
LEAST_PARTS = 0.34
# Function words that mark a statement as English, for which the vectors were made.
_ENGLISH = frozenset("the a an is are of to in on at for and i my it has have you with not be can must from by we was".split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """A pair as numbers; counts and shares are of words that say something."""

    similarity: float  # -1..1, cosine of the vectors, into which who spoke and when are embedded too
    spoken: bool  # a speaker is embedded
    dated: bool  # dates are embedded
    strange: float  # 0..1, share of words that only one of the two has; forms of a word count in part
    alike: float  # 0..1, words in the same order around words that are swapped
    contained: bool  # one is the whole of the other with something added
    slot: bool  # a swapped word stands after the same word as the one it is swapped for
    foreign: bool  # not English
    change: bool  # only one speaks of a change
    event: bool  # only one tells of something that happened
    plan: bool  # only one is a plan
    shade: bool  # "still", "also" or the like differ
    denial: bool  # only one denies in so many words
    occasion: bool  # only one says "yesterday" or the like


def features(pair: Pair, old: Side, new: Side) -> Features:
    """Compare the two statements of a pair.

    Args:
        pair: the two statements.
        old: the one that is known, taken apart.
        new: the other, taken apart.
    """
    before, after = said_by(old), said_by(new)
    lost, added = missing(before, after), missing(after, before)
    fewer = sorted((_strangeness(lost, after), _strangeness(added, before)))
    shared = common_subsequence(old.tokens, new.tokens)
    swapped = fewer[0] > 0
    return Features(
        similarity=pair.similarity,
        spoken=pair.old_speaker is not None,
        dated=pair.old_at is not None,
        strange=sum(fewer) / max(1, len(before) + len(after)),
        alike=2 * shared / max(1, len(old.tokens) + len(new.tokens)) if swapped else 0.0,
        contained=fewer[1] > 0 and not swapped and shared >= CONTAINED * min(len(old.tokens), len(new.tokens)),
        slot=swapped and bool(_before(old, lost) & _before(new, added)),
        foreign=_ENGLISH.isdisjoint(old.tokens) or _ENGLISH.isdisjoint(new.tokens),
        change=tells_change(new, old) or tells_change(old, new),
        event=only_one_tells_event(old, new),
        plan=PLANS.isdisjoint(old.tokens) != PLANS.isdisjoint(new.tokens),
        shade=SHADES & set(old.tokens) != SHADES & set(new.tokens),
        denial=old.denies != new.denies,
        occasion=OCCASIONS.isdisjoint(old.tokens) != OCCASIONS.isdisjoint(new.tokens),
    )


def said_by(one: Side) -> list[str]:
    """Return the words of a statement that say something, each as the one that stands for its synonyms."""
    words = {canonical(word) for word in one.content if word not in LIGHT}
    # "Not allowed" is "forbidden".
    return sorted({"forbidden" if one.denies and word == "allowed" else word for word in words})


def common_subsequence(old: Sequence[str], new: Sequence[str]) -> int:
    """Return the length of the longest common subsequence, by additions of whole rows as bits (Hyyrö 2004)."""
    places: dict[str, int] = {}
    for at, token in enumerate(old):
        places[token] = places.get(token, 0) | 1 << at
    every = (1 << len(old)) - 1
    row = every
    for token in new:
        met = row & places.get(token, 0)
        row = (row + met) | (row - met)
    return len(old) - (row & every).bit_count()


def _strangeness(words: Iterable[str], others: Sequence[str]) -> float:
    """Return how many words have nothing to do with any of the others; a common part makes it less than one."""
    parts = [_parts(other) for other in others]
    total = 0.0
    for word in words:
        own = _parts(word)
        best = max((2 * len(own & other) / (len(own) + len(other)) for other in parts), default=0.0)
        total += 1 - best if best >= LEAST_PARTS else 1
    return total


def _parts(word: str) -> frozenset[str]:
    marked = f"^{word}"
    return frozenset(marked[at : at + 3] for at in range(max(1, len(marked) - 2)))


def _before(one: Side, words: Sequence[str]) -> set[str]:
    """Return the tokens after which some words stand."""
    known = set(words)
    return {first for first, second in pairwise(one.tokens) if canonical(second) in known}

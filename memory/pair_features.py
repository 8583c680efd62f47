"""What speaks for and against two statements being one fact, as numbers; none depends on which is the older."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from memory.change_words import PREPOSITIONS
from memory.judging import Pair
from memory.pair_changes import subject
from memory.pair_texts import Side, missing
from memory.synonyms import LIGHT, canonical

# A statement of whose tokens the other has this share in the same order is contained in it.
CONTAINED = 0.8
_JOINING = PREPOSITIONS | frozenset(
    "and or because but of with without except who which that and during since und oder weil mit et ou parce y o "
    "porque e и или с för och eller med en of met".split()
)
# Words of which less of the three-letter parts are shared are no forms of each other.
LEAST_PARTS = 0.34


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """A pair as numbers; counts and shares are of words that say something."""

    similarity: float  # -1..1, cosine of the vectors, into which who spoke and when are embedded too
    spoken: bool  # a speaker is embedded
    dated: bool  # dates are embedded
    swapped: float  # words that stand against others: the lesser of those lost and added; forms of one count in part
    predicate: bool  # beyond what they are about, the two share nothing
    alike: float  # 0..1, words in the same order around words that are swapped
    slot: bool  # a swapped word stands after the same word as the one it is swapped for
    denial: bool  # only one denies in so many words


def features(pair: Pair, old: Side, new: Side) -> Features:
    """Compare the two statements of a pair.

    Args:
        pair: the two statements.
        old: the one that is known, taken apart.
        new: the other, taken apart.
    """
    before, after = said_by(old), said_by(new)
    lost, added = missing(before, after), missing(after, before)
    swapped = min(_strangeness(lost, after), _strangeness(added, before))
    return Features(
        similarity=pair.similarity,
        spoken=pair.old_speaker is not None,
        dated=pair.old_at is not None,
        swapped=swapped,
        predicate=_other_predicate(old, new),
        alike=_alike(old.tokens, new.tokens) if swapped else 0.0,
        slot=swapped > 0 and bool(_before(old, lost) & _before(new, added)),
        denial=old.denies != new.denies,
    )


def adds_detail(old: Side, new: Side) -> bool:
    """Tell whether one is the whole of the other with a part joined to it: "with her parents", "and a hard hat"."""
    longer, shorter = (old, new) if len(old.tokens) > len(new.tokens) else (new, old)
    joined = Counter(longer.tokens) - Counter(shorter.tokens)
    if len(longer.tokens) == len(shorter.tokens) or _JOINING.isdisjoint(joined):
        return False
    if missing(said_by(shorter), said_by(longer)) or not missing(said_by(longer), said_by(shorter)):
        return False
    return common_subsequence(old.tokens, new.tokens) >= CONTAINED * len(shorter.tokens)


def _other_predicate(old: Side, new: Side) -> bool:
    about = {canonical(word) for word in (*subject(old), *subject(new))}
    before, after = missing(said_by(old), about), missing(said_by(new), about)
    return bool(before and after) and len(missing(before, after)) == len(before)


def said_by(one: Side) -> list[str]:
    """Return the words of a statement that say something, each as the one that stands for its synonyms."""
    words = {canonical(word) for word in one.content if word not in LIGHT}
    # "Not allowed" is "forbidden".
    return sorted({"forbidden" if one.denies and word == "allowed" else word for word in words})


def _alike(old: Sequence[str], new: Sequence[str]) -> float:
    return 2 * common_subsequence(old, new) / max(1, len(old) + len(new))


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

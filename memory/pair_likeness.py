"""Whether two statements say the same in other words. What is found does not depend on which of them is the older."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from memory.change_words import AUXILIARIES, IS, OPPOSITES, PLANS, SHADES, SPEAKERS
from memory.pair_changes import tells_change
from memory.pair_events import only_one_tells_event
from memory.pair_texts import Side, missing
from memory.quantities import same_quantities
from memory.synonyms import LIGHT, canonical

# Similarity (0..1), plus this for the share of words that both have, less that for words in the same order around words
# that differ: two facts about two things are built alike, the same fact said again mostly is not. Weights of a logistic
# regression on the pairs for tuning, rounded. There the first wrong pair lies below 0.7; the rest is a margin, because
# the words of other pairs are not in the tables.
SHARED_WEIGHT, ALIKE_WEIGHT, LEAST_LIKENESS = 0.4, 1.3, 0.8
# More words that only one of the two has say more than a paraphrase does.
MOST_STRANGE = 2
# For other languages than English the vectors find every two statements alike, so the words have to be.
LEAST_SHARED = 0.55
# A statement of whose tokens the other has this share in the same order is contained in it.
CONTAINED = 0.8
_BY = frozenset("by von vom par por pelo pela da dal dalla av door".split())
_PRONOUNS = SPEAKERS | frozenset("you he she they it one man er sie on il elle ils elles se".split())
_GERMAN = frozenset(
    "der die das den dem und ist sind ich nicht ein eine mein meine von im am hat wird kann muss".split()
)
_RELATIONS = frozenset(
    "before after than above below over under vor nach als über unter avant après que antes después depois prima dopo "
    "до после чем przed po före efter".split()
)


def says_the_same(old: Side, new: Side, similarity: float) -> bool:
    """Tell whether two statements are one fact.

    Args:
        old: the statement that is known.
        new: another.
        similarity: cosine of their vectors, -1..1.
    """
    if differ_in_kind(old, new):
        return False
    return likeness(old, new, similarity) >= LEAST_LIKENESS and not _roles_swapped(old, new)


def differ_in_values(old: Side, new: Side) -> bool:
    """Tell whether a value differs, or only one of the two denies something."""
    return not same_quantities(old.values, new.values) or _differ_in_denial(old, new)


def differ_in_kind(old: Side, new: Side) -> bool:
    """Tell whether more than the wording differs: a value, a denial, a name, a question, a plan, a change."""
    if differ_in_values(old, new) or old.asks != new.asks:
        return True
    if PLANS.isdisjoint(old.tokens) != PLANS.isdisjoint(new.tokens):
        return True
    if tells_change(new, old) or tells_change(old, new) or only_one_tells_event(old, new):
        return True
    if SHADES & set(old.tokens) != SHADES & set(new.tokens):
        return True
    if _strange_names(old, new) or _strange_names(new, old):
        return True
    return old.denies == new.denies and _opposite(old, new)


def likeness(old: Side, new: Side, similarity: float) -> float:
    """Return how much speaks for one fact; see the weights above."""
    before, after = _named(old), _named(new)
    lost, added = missing(before, after), missing(after, before)
    shared = 1 - (len(lost) + len(added)) / max(1, len(before) + len(after))
    if max(len(lost), len(added)) > MOST_STRANGE or shared < LEAST_SHARED:
        return -1.0
    return similarity + SHARED_WEIGHT * shared - ALIKE_WEIGHT * _alike(old, new, lost, added)


def _strange_names(one: Side, other: Side) -> bool:
    """Tell whether a statement names somebody or something that the other does not; German nouns are no names."""
    if not _GERMAN.isdisjoint((*one.tokens, *other.tokens)):
        return False
    return bool(missing(map(canonical, one.names & one.content), [canonical(word) for word in other.tokens]))


def _named(one: Side) -> list[str]:
    words = {canonical(word) for word in one.content if word not in LIGHT}
    # "Not allowed" is "forbidden".
    return sorted({"forbidden" if one.denies and word == "allowed" else word for word in words})


def _differ_in_denial(old: Side, new: Side) -> bool:
    if old.denies == new.denies:
        return False
    other = new if old.denies else old
    return not other.denies_softly


def _opposite(old: Side, new: Side) -> bool:
    lost, added = set(old.tokens).difference(new.tokens), set(new.tokens).difference(old.tokens)
    return any(frozenset((one, other)) in OPPOSITES for one in lost for other in added)


def _alike(old: Side, new: Side, lost: Sequence[str], added: Sequence[str]) -> float:
    """Return how much the same words in the same order say that the words that differ are other facts, 0..1."""
    if not lost and not added:
        return 0.0
    shared = _common_subsequence(old.tokens, new.tokens)
    if lost and added:
        return 2 * shared / (len(old.tokens) + len(new.tokens))
    # The whole of one with something added to it says more than the other did.
    return float(shared >= CONTAINED * min(len(old.tokens), len(new.tokens)))


def _common_subsequence(old: Sequence[str], new: Sequence[str]) -> int:
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


def _roles_swapped(old: Side, new: Side) -> bool:
    """Tell whether the same words name others in the same roles: "Ana hired Bea", "Bea hired Ana"."""
    same_words = Counter(old.tokens) == Counter(new.tokens)
    if same_words and old.tokens != new.tokens and not _RELATIONS.isdisjoint(old.tokens):
        return True
    if _passive(old) != _passive(new):
        return _same_agent(old, new) if _passive(new) else _same_agent(new, old)
    names = old.names | new.names
    before, after = _order(old.tokens, names), _order(new.tokens, names)
    return same_words and before != after


def _same_agent(active: Side, passive: Side) -> bool:
    """Tell whether who does something in one statement is who it is done to in the other, built with "by"."""
    both = active.content & passive.content
    order = _order(active.tokens, both)
    if len(order) < 2 or order != _order(passive.tokens, both):
        return False
    # "You control the heating": the first of the shared words is not who does it.
    first = next(at for at, token in enumerate(active.tokens) if token.removesuffix("'s") == order[0])
    return _PRONOUNS.isdisjoint(active.tokens[:first])


def _passive(one: Side) -> bool:
    return not _BY.isdisjoint(one.tokens) and not (AUXILIARIES | IS).isdisjoint(one.tokens)


def _order(tokens: Iterable[str], names: frozenset[str]) -> list[str]:
    return list(dict.fromkeys(token.removesuffix("'s") for token in tokens if token.removesuffix("'s") in names))

"""Whether two statements say the same in other words. What is found does not depend on which of them is the older."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import regex

from memory.change_words import APART, AUXILIARIES, IS, RELATIVES, SPEAKERS
from memory.judging import Pair
from memory.pair_changes import is_over
from memory.pair_features import Features, features
from memory.pair_texts import Side, content_of, missing
from memory.quantities import other_quantities, same_quantities
from memory.quantity_words import UNITS
from memory.synonyms import canonical

# Log odds that a pair which nothing bars is one fact: a logistic regression on the pairs for tuning, rounded. Two facts
# about two things are built alike, so words in the same order around words that differ speak against one fact.
# `benchmarks/facts/README.md` says how it was fitted and what each weight is worth.
WEIGHTS: Mapping[str, float] = {
    "similarity": 15.2,
    "spoken": -1.7,
    "dated": -1.4,
    "strange": -4.6,
    "alike": -6.0,
    "contained": -1.2,
    "slot": -1.6,
    "foreign": -0.6,
    "change": -3.5,
    "event": -2.2,
    "plan": -1.1,
    "shade": -2.3,
    "denial": 1.9,
    "occasion": -2.8,
}
INTERCEPT, LEAST_LIKENESS = -4.9, 1.5
_BY = frozenset("by von vom par por pelo pela da dal dalla av door".split())
_PREFIX = regex.compile(r"(?:un|in|im|il|ir|non|dis|не|niet|on|o|nie)(?=\p{L}{4})")
_PRONOUNS = SPEAKERS | frozenset("you he she they it one man er sie on il elle ils elles se".split())
_RULED_OUT = frozenset(
    "impossible unable forbidden prohibited banned only verboten unmöglich interdit prohibido proibido vietato "
    "запрещено нельзя".split()
)
_GERMAN = frozenset(
    "der die das den dem und ist sind ich nicht ein eine mein meine von im am hat wird kann muss".split()
)
_RELATIONS = frozenset(
    "before after than above below over under vor nach als über unter avant après que antes después depois prima dopo "
    "до после чем przed po före efter".split()
)


def says_the_same(pair: Pair, old: Side, new: Side) -> bool:
    """Tell whether the statements of a pair are one fact.

    Args:
        pair: the two statements.
        old: the one that is known, taken apart.
        new: the other, taken apart.
    """
    return not barred(old, new) and likeness(features(pair, old, new)) >= LEAST_LIKENESS


def likeness(found: Features) -> float:
    """Return the log odds that two statements are one fact."""
    return INTERCEPT + sum(weight * getattr(found, name) for name, weight in WEIGHTS.items())


def differ_in_values(old: Side, new: Side) -> bool:
    """Tell whether a value differs, or only one of the two denies something."""
    return not same_quantities(old.values, new.values) or _differ_in_denial(old, new)


def barred(old: Side, new: Side) -> bool:
    """Tell whether something forbids that two statements are one fact, however similar they are."""
    if differ_in_values(old, new) or old.asks != new.asks or _other_place(old, new):
        return True
    if is_over(old) != is_over(new) or _denied_of_the_same(old, new) or _other_relatives(old, new):
        return True
    if _strange_names(old, new) or _strange_names(new, old):
        return True
    return (old.denies == new.denies and _apart(old, new)) or _roles_swapped(old, new)


def _denied_of_the_same(old: Side, new: Side) -> bool:
    """Tell whether only one denies, and the other has every word of what it denies: "not paid", "paid"."""
    if old.denies == new.denies:
        return False
    denying, other = (old, new) if old.denies else (new, old)
    return not missing(denying.content, other.content) and _RULED_OUT.isdisjoint(other.tokens)


def _other_relatives(old: Side, new: Side) -> bool:
    """Tell whether only one of the two speaks of a relative or the like."""
    before, after = ({canonical(word) for word in one.content if word in RELATIVES} for one in (old, new))
    return bool(before) != bool(after) or bool(missing(before, after) and missing(after, before))


def _other_place(old: Side, new: Side) -> bool:
    """Tell whether only one counts a place in a row: "the second floor"."""
    lost, added = other_quantities(old.values, new.values)
    return any(one.kind == "" and one.loose and one.amount > 1 for one in (*lost, *added))


def _strange_names(one: Side, other: Side) -> bool:
    """Tell whether a statement names somebody or something that the other does not; German nouns are no names."""
    if not _GERMAN.isdisjoint((*one.tokens, *other.tokens)):
        return False
    named = [canonical(word) for word in one.names & one.content if word not in UNITS]
    return bool(missing(named, [canonical(word) for word in other.tokens]))


def _differ_in_denial(old: Side, new: Side) -> bool:
    if old.denies == new.denies:
        return False
    one, other = (old, new) if old.denies else (new, old)
    return not (other.denies_softly or _privative(other.tokens, one.content))


def _privative(tokens: Iterable[str], denied: Iterable[str]) -> bool:
    """Tell whether a word is one of those denied with a prefix that denies it: "unfinished", "некурящий"."""
    bare = [token[len(found[0]) :] for token in tokens if (found := _PREFIX.match(token))]
    return bool(bare) and len(missing(bare, denied)) < len(bare)


def _apart(old: Side, new: Side) -> bool:
    lost, added = set(old.tokens).difference(new.tokens), set(new.tokens).difference(old.tokens)
    return any(frozenset((one, other)) in APART for one in lost for other in added)


def _roles_swapped(old: Side, new: Side) -> bool:
    """Tell whether the same words name others in the same roles: "Ana hired Bea", "Bea hired Ana"."""
    same_words = Counter(old.tokens) == Counter(new.tokens)
    if same_words and _related(old.tokens) != _related(new.tokens):
        return True
    if _passive(old) != _passive(new):
        return _same_agent(old, new) if _passive(new) else _same_agent(new, old)
    names = old.names | new.names
    before, after = _order(old.tokens, names), _order(new.tokens, names)
    return same_words and before != after


def _related(tokens: Sequence[str]) -> set[tuple[str, str]]:
    """Return each word of a relation with the next word that says something: ("before", "dinner")."""
    found = set()
    for at, token in enumerate(tokens):
        if token in _RELATIONS:
            found.add((token, next(iter(content_of(tokens[at + 1 :])), "")))
    return found


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

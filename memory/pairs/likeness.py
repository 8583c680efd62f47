"""Whether two statements say the same in other words. What is found does not depend on which of them is the older."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import regex

from memory.judging import Pair
from memory.pairs.change_words import (
    APART,
    AUXILIARIES,
    ENDINGS,
    IS,
    OCCASIONS,
    PENDING,
    PLANS,
    PREPOSITIONS,
    RELATIVES,
    SHADES,
    SPEAKERS,
)
from memory.pairs.changes import changes_apart, is_over
from memory.pairs.events import only_one_tells_event
from memory.pairs.quantities import other_quantities, same_quantities
from memory.pairs.quantity_words import UNITS
from memory.pairs.synonyms import LIGHT, canonical
from memory.pairs.texts import Side, content_of, missing
from memory.statements import normalised

# Two statements of which neither has a word that the other lacks a match for, or only one has, are the same from this
# similarity on; who spoke and when are embedded with the texts, and lift it. Fitted on the pairs for tuning as a
# logistic regression and rounded; `benchmarks/facts/README.md` says how.
LEAST_SIMILARITY = 0.55
SPOKEN, DATED, DENIED = 0.1, 0.05, -0.12
# A statement of whose tokens the other has this share in the same order is contained in it.
CONTAINED = 0.8
_JOINING = PREPOSITIONS | frozenset(
    "and or because but of with without except who which that and during since und oder weil mit et ou parce y o "
    "porque e и или с för och eller med en of met".split()
)
_BY = frozenset("by von vom par por pelo pela da dal dalla av door".split())
_INVERSE = frozenset(("before", "after"))
_DONE = regex.compile(r"(?:ed|en|wn|lt|nt|ld|ne|ot|ght|ad|un|ung|de)$")
_GOING_ON = regex.compile(r"(?:\b(?:is|are|am|being)|'(?:m|s|re)) (?:\p{L}+ly )?\p{L}{2,}ing\b")
_HAS_BEEN = regex.compile(
    r"(?:\b(?:has|have)|'ve|'s) (?:\p{L}+ly )?(?:\p{L}{2,}ed|got|had|done|made|taken|given|gone|found|left)\b"
)
_OWN = regex.compile(r"\b(?:my|your|his|her|its|our|their) own\b")
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
    speakers = frozenset(normalised(name) for name in (pair.old_speaker, pair.new_speaker) if name)
    return not barred(old, new, speakers) and pair.similarity >= least_similarity(pair, old, new)


def least_similarity(pair: Pair, old: Side, new: Side) -> float:
    """Return the similarity (-1..1) from which on two statements that nothing bars are one fact."""
    spoken = SPOKEN if pair.old_speaker is not None else 0.0
    dated = DATED if pair.old_at is not None else 0.0
    return LEAST_SIMILARITY + spoken + dated + (DENIED if old.denies != new.denies else 0.0)


def differ_in_values(old: Side, new: Side) -> bool:
    """Tell whether a value differs, or only one of the two denies something."""
    return not same_quantities(old.values, new.values) or _differ_in_denial(old, new)


def barred(old: Side, new: Side, speakers: frozenset[str] = frozenset()) -> bool:
    """Tell whether something forbids that two statements are one fact, however similar they are.

    Args:
        old: one statement.
        new: another.
        speakers: names of who says them, normalised; what one says of themselves, another says with their name.
    """
    if differ_in_values(old, new) or old.asks != new.asks:
        return True
    if _swaps_words(old, new) or _other_time(old, new) or _adds_detail(old, new):
        return True
    return _other_thing(old, new, speakers) or _roles_swapped(old, new)


def _other_time(old: Side, new: Side) -> bool:
    """Tell whether only one is a plan, a change, an event or an end."""
    if any(words.isdisjoint(old.tokens) != words.isdisjoint(new.tokens) for words in (PLANS, OCCASIONS)):
        return True
    if bool(_OWN.search(old.text)) != bool(_OWN.search(new.text)):
        return True
    if SHADES & set(old.tokens) != SHADES & set(new.tokens) or is_over(old) != is_over(new):
        return True
    if changes_apart(new, old) or changes_apart(old, new) or only_one_tells_event(old, new):
        return True
    return _settles(old, new) or _settles(new, old)


def _other_thing(old: Side, new: Side, speakers: frozenset[str]) -> bool:
    """Tell whether a name, a relative, a place in a row, a denial or one of a kind is another."""
    if _strange_names(old, new, speakers) or _strange_names(new, old, speakers):
        return True
    if _other_relatives(old, new) or _other_place(old, new):
        return True
    if old.denies != new.denies:
        return _denied_of_the_same(old, new)
    return _apart(old, new)


def _settles(one: Side, other: Side) -> bool:
    """Tell whether what one statement calls a passing state, or going on, is over or has been done in the other."""
    if _GOING_ON.search(one.text) and _HAS_BEEN.search(other.text):
        return True
    return not PENDING.isdisjoint(one.tokens) and not ENDINGS.isdisjoint(set(other.tokens).difference(one.tokens))


def _denied_of_the_same(old: Side, new: Side) -> bool:
    """Tell whether only one denies, and the other has every word of what it denies: "not paid", "paid"."""
    denying, other = (old, new) if old.denies else (new, old)
    return not missing(_said_by(denying), _said_by(other)) and _RULED_OUT.isdisjoint(other.tokens)


def _other_relatives(old: Side, new: Side) -> bool:
    """Tell whether only one of the two speaks of a relative or the like."""
    before, after = ({canonical(word) for word in one.content if word in RELATIVES} for one in (old, new))
    return bool(before) != bool(after) or bool(missing(before, after) and missing(after, before))


def _other_place(old: Side, new: Side) -> bool:
    """Tell whether only one counts a place in a row: "the second floor"."""
    lost, added = other_quantities(old.values, new.values)
    return any(one.kind == "" and one.loose and one.amount > 1 for one in (*lost, *added))


def _strange_names(one: Side, other: Side, speakers: frozenset[str]) -> bool:
    """Tell whether a statement names somebody or something that the other does not; German nouns are no names."""
    if _german(one, other):
        return False
    named = [canonical(word) for word in one.names & one.content if word not in UNITS and word not in speakers]
    return bool(missing(named, [canonical(word) for word in other.tokens]))


def _german(one: Side, other: Side) -> bool:
    return not _GERMAN.isdisjoint((*one.tokens, *other.tokens))


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
    apart = {frozenset((one, other)) for one in lost for other in added} & APART
    return bool(apart - {_INVERSE}) or (_INVERSE in apart and not _inverted(old, new))


def _inverted(old: Side, new: Side) -> bool:
    """Tell whether one is before what the other says comes after: "tests run after lint", "lint runs before tests"."""
    related = _related(old.tokens) | _related(new.tokens)
    earlier, later = related["after"], related["before"]
    both = not missing((earlier, later), old.content) and not missing((earlier, later), new.content)
    return both and earlier != later


def _roles_swapped(old: Side, new: Side) -> bool:
    """Tell whether the same words name others in the same roles: "Ana hired Bea", "Bea hired Ana"."""
    same_words = Counter(old.tokens) == Counter(new.tokens)
    if _related_otherwise(old, new):
        return True
    if _passive(old) != _passive(new):
        return _same_agent(old, new) if _passive(new) else _same_agent(new, old)
    names = frozenset() if _german(old, new) else old.names | new.names
    before, after = _order(old.tokens, names), _order(new.tokens, names)
    return same_words and before != after


def _related_otherwise(old: Side, new: Side) -> bool:
    """Tell whether "before", "to" or the like stands before one of the shared words here, before another there."""
    before, after = _related(old.tokens), _related(new.tokens)
    for relation in before.keys() & after.keys():
        one, other = before[relation], after[relation]
        if one != other and one in new.content and other in old.content:
            return True
    return False


def _related(tokens: Sequence[str]) -> dict[str, str]:
    """Return each word of a relation with the next word that says something: "before" with "dinner"."""
    found = {}
    prefers = any(token.startswith("prefer") for token in tokens)
    for at, token in enumerate(tokens):
        if token in _RELATIONS or (token == "to" and prefers):
            found[token] = next(iter(content_of(tokens[at + 1 :])), "")
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
    by = next((at for at, token in enumerate(one.tokens) if token in _BY), 0)
    if not by or (one.tokens[by] == "by" and not _DONE.search(one.tokens[by - 1])):
        return False
    return not (AUXILIARIES | IS).isdisjoint(one.tokens)


def _order(tokens: Iterable[str], names: frozenset[str]) -> list[str]:
    return list(dict.fromkeys(token.removesuffix("'s") for token in tokens if token.removesuffix("'s") in names))


def _swaps_words(old: Side, new: Side) -> bool:
    """Tell whether words stand against words: each of the two says something that the other has no word for."""
    before, after = _said_by(old), _said_by(new)
    return bool(missing(before, after) and missing(after, before))


def _adds_detail(old: Side, new: Side) -> bool:
    """Tell whether one is the whole of the other with a part joined to it: "with her parents", "and a hard hat"."""
    longer, shorter = (old, new) if len(old.tokens) > len(new.tokens) else (new, old)
    joined = Counter(longer.tokens) - Counter(shorter.tokens)
    if len(longer.tokens) == len(shorter.tokens) or _JOINING.isdisjoint(joined):
        return False
    if missing(_said_by(shorter), _said_by(longer)) or not missing(_said_by(longer), _said_by(shorter)):
        return False
    return _common_subsequence(old.tokens, new.tokens) >= CONTAINED * len(shorter.tokens)


def _said_by(one: Side) -> list[str]:
    """Return the words of a statement that say something, each as the one that stands for its synonyms."""
    words = {canonical(word) for word in one.content if word not in LIGHT}
    # "Not allowed" is "forbidden".
    return sorted({"forbidden" if one.denies and word == "allowed" else word for word in words})


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

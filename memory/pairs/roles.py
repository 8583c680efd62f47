"""Who does what to whom in two English statements of the same words.

What a preposition governs stays with it, and what none governs keeps its order. Only a passive, "there is", "of", a
time or a turned "is" may say how something was moved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memory.pairs.change_words import DAY_WORDS
from memory.pairs.clauses import ANYBODY, TIMES, Atom, Clause, gives_order, measures
from memory.pairs.concepts import VERBS, dimensions
from memory.pairs.english_forms import PASTS, base, is_participle
from memory.pairs.quantities import Quantity

_WHEN = frozenset(("", "on", "at", "in"))
# Prepositions that mean the same before anything.
_ONE_PREPOSITION = ({"at", "in"}, {"via", "by"}, {"per", "for"}, {"during", "in"}, {"by", "beside"})
_MIDDLE = frozenset(map(base, "open close shut start begin end finish renew stop retry expire store save".split()))


def roles_agree(one: Clause, other: Clause, keys: tuple[Mapping[int, int], Mapping[int, int]]) -> bool:
    """Tell whether who does what to whom, and what belongs to what, is the same in two statements.

    Args:
        one: a statement.
        other: another, each word of which is accounted for.
        keys: of either, for each place among its atoms the number of the pair its word is in.
    """
    first, second = Roles(one, keys[0]), Roles(other, keys[1])
    verbs = first.verbs | second.verbs
    if not _voices_agree(one, other, first, second):
        return False
    first.shorten(second)
    second.shorten(first)
    if not _phrases_in_order(first, second, turned=one.opens != other.opens):
        return False
    first.pair_phrases(second)
    first.raise_subject(second, one, other)
    second.raise_subject(first, other, one)
    if _before_and_after(first, second):
        return True
    if first.phrases or second.phrases:
        return False
    values = {key for key, word in first.words.items() if isinstance(word, Quantity)}
    if len(values) == 1 and measures(one) and measures(other):
        verbs |= values
    if len(first.acts | second.acts) > 1:
        turned = one.opens != other.opens and _rotated(first.core, second.core)
        return turned or (first.core == second.core and (not one.denied or one.focus == other.focus))
    before, after = (each.order(verbs) for each in (first, second))
    return before == after or (_turned(one, other) and _rotated(before, after))


def _phrases_in_order(first: Roles, second: Roles, *, turned: bool) -> bool:
    """Tell whether phrases that both have come in one order: "of the owners of the dogs"; one may open a statement."""
    before, after = ([run for _, run in each.phrases if run] for each in (first, second))
    one, other = [run for run in before if run in after], [run for run in after if run in before]
    return one == other or (turned and _rotated(list(range(len(one))), [one.index(run) for run in other]))


def _before_and_after(first: Roles, second: Roles) -> bool:
    """Tell whether one says "a before b" and the other "b after a"."""
    if [way for each in (first, second) for way, _ in each.phrases] not in (["before", "after"], ["after", "before"]):
        return False
    shared = set(first.core) & set(second.core)
    one, other = ([key for key in each.core if key not in shared] for each in (first, second))
    return one == list(second.phrases[0][1]) and other == list(first.phrases[0][1]) and bool(one and other)


class Roles:
    """The paired words of a statement by their roles."""

    def __init__(self, one: Clause, keys: Mapping[int, int]) -> None:
        self._clause = one
        self.words = {keys[at]: atom for at, atom in enumerate(one.atoms()) if at in keys}
        self.core = [keys[at] for at in range(len(one.core)) if at in keys]
        self.phrases: list[tuple[str, tuple[int, ...]]] = []
        at = len(one.core)
        for way, run in one.phrases:
            found = [keys[place] for place in range(at, at + len(run)) if place in keys]
            if all(isinstance(atom, Quantity) for atom in run):
                found.sort()  # "4 June 2011", "June 4, 2011"
            at += len(run)
            if found or (not run and way != "by"):
                self.phrases.append((way, tuple(found)))
        done = set(one.passive)
        self.done = {key for key, word in self.words.items() if isinstance(word, str) and base(word) in done}
        self.acts = {
            key for key, word in self.words.items() if isinstance(word, str) and _acts(word) and key in self.core
        }
        self.verbs = self.done | {
            key
            for key, word in self.words.items()
            if isinstance(word, str)
            and word not in one.exact
            and (_moves(word) or (bool(dimensions(word)) and measures(one)))
        }

    def order(self, verbs: set[int]) -> list[int]:
        """Return what no preposition governs in its order, verbs left out; "a and b" is "b and a"."""
        keys = list(self.core)
        for at in range(1, len(keys) - 1):
            if self.words[keys[at]] in ("and", "or") and not {keys[at - 1], keys[at + 1]} & verbs:
                keys[at - 1], keys[at + 1] = sorted((keys[at - 1], keys[at + 1]))
        return [key for key in keys if key not in verbs]

    def pair_phrases(self, other: Roles) -> None:
        """Leave out the phrases that both have."""
        acted = self.done != other.done
        for phrase in list(self.phrases):
            found = next((each for each in other.phrases if _one_phrase(phrase, each, self.words, acted=acted)), None)
            if found is not None:
                self.phrases.remove(phrase)
                other.phrases.remove(found)

    def before(self, key: int) -> list[int]:
        """Return what stands before a word."""
        return self.core[: self.core.index(key)] if key in self.core else []

    def follow(self, keys: Sequence[int], verb: int) -> bool:
        """Tell whether words stand behind a verb, as what something is done to."""
        return verb in self.core and all(
            self.core.index(key) > self.core.index(verb)
            for key in keys
            if key in self.core and not _moves(str(self.words[key]))
        )

    def starts(self, run: tuple[int, ...], done: set[int]) -> bool:
        """Tell whether words stand before what is done, as who does it."""
        return all(self.core.index(run[-1]) < self.core.index(key) for key in done if key in self.core)

    def _leads(self, run: tuple[int, ...], other: Roles) -> bool:
        """Tell whether what a phrase governs stands right before a noun of this one in the other: "pool length"."""
        at = other.core.index(run[-1]) + 1
        return at < len(other.core) and other.core[at] in self.core and other.core[at] not in self.done | other.done

    def shorten(self, other: Roles) -> None:
        """Give the subject its words back that the phrase which opens a statement has run on into."""
        for at, (way, run) in enumerate(self.phrases if self._clause.opens else ()):
            found = next(
                (each for way_, each in other.phrases if way_ == way and each and each == run[: len(each)]), None
            )
            if found is not None and at == 0 and len(found) < len(run):
                self.phrases[0] = (way, found)
                self.core = [*run[len(found) :], *self.core]

    def raise_subject(self, other: Roles, one: Clause, another: Clause) -> None:
        """Put what a phrase governs where the other statement has it as its subject or object."""
        for way, run in list(self.phrases):
            if not run or not set(run) <= set(other.core) | {key for _, keys in other.phrases for key in keys}:
                continue
            if not set(run) <= set(other.core):
                continue
            agent = way == "by" and self.done and not other.done and other.starts(run, self.done)
            place = way in ("in", "on", "at") and one.exists and not another.exists
            owner = (way == "of" or (way == "for" and measures(self._clause))) and self._leads(run, other)
            time = way in _WHEN and all(_is_time(self.words[key]) for key in run)
            time |= way == "for" and all(_lasts(self.words[key]) for key in run)
            time |= way == "of" and measures(self._clause) and all(_is_figure(self.words[key]) for key in run)
            if agent or place or owner:
                self.core = [*run, *self.core]
            elif time:
                other.core = [key for key in other.core if key not in run]
            else:
                continue
            self.phrases.remove((way, run))


def _is_figure(atom: Atom) -> bool:
    return isinstance(atom, Quantity) or atom == "approx"


def _acts(word: str) -> bool:
    return base(word) in VERBS or is_participle(word) or word in PASTS


def _moves(word: str) -> bool:
    """Tell whether a word may stand anywhere without another role: a verb, a time."""
    return base(word) in VERBS or word in ("every", "automatically") or word.endswith("ly")


def _one_phrase(
    one: tuple[str, tuple[int, ...]], other: tuple[str, tuple[int, ...]], words: dict[int, Atom], *, acted: bool
) -> bool:
    if one[1] != other[1] or (one[0] != other[0] and "by" in (one[0], other[0]) and acted):
        return False
    if one[0] == other[0] or {one[0], other[0]} in _ONE_PREPOSITION:
        return True
    ways = {one[0], other[0]}
    return (ways <= _WHEN or ways == {"to", "until"}) and all(_is_time(words[key]) for key in one[1])


def _is_time(atom: Atom) -> bool:
    if isinstance(atom, Quantity):
        return atom.kind in TIMES or atom.loose or 1900 <= atom.amount <= 2100
    return atom in DAY_WORDS or atom in ("every", "late", "early")


def _lasts(atom: Atom) -> bool:
    return isinstance(atom, Quantity) and atom.kind == "time"


def _voices_agree(one: Clause, other: Clause, first: Roles, second: Roles) -> bool:
    """Tell whether what is done in one statement is done to the same in the other."""
    return _voice_kept(one, other, first, second) and _voice_kept(other, one, second, first)


def _voice_kept(one: Clause, other: Clause, first: Roles, second: Roles) -> bool:
    for key in first.done - second.done:
        word = second.words[key]
        by = any(way == "by" and (set(run) & set(second.core) or not run) for way, run in first.phrases)
        named = _happens(other) or other.exists or (other.links and is_participle(str(word)))
        anybody = (other.persons & ANYBODY or gives_order(other, one)) and second.follow(first.before(key), key)
        if not (by or named or anybody or base(str(word)) in _MIDDLE):
            return False
    return True


def _happens(one: Clause) -> bool:
    return "happen" in one.core


def _turned(one: Clause, other: Clause) -> bool:
    return one.links and other.links and not one.denied and one.definite and other.definite


def _rotated(before: Sequence[int], after: Sequence[int]) -> bool:
    return sorted(before) == sorted(after) and any(
        [*before[cut:], *before[:cut]] == list(after) for cut in range(1, len(before))
    )

"""Whether two English statements say the same in other words: every word of each is accounted for in the other.

A word is accounted for by a form of itself, by a word of one meaning (`memory.pairs.concepts`), or because a table
knows that it adds nothing where the other statement is built otherwise. Names, numbers and days must be the same, and
who does what to whom (`memory.pairs.roles`).
"""

from __future__ import annotations

from collections.abc import Iterable

from memory.pairs.clauses import ANYBODY, TIMES, Atom, Clause, clause, gives_order, measures, words_of
from memory.pairs.concepts import dimensions, one_meaning
from memory.pairs.english_forms import base
from memory.pairs.quantities import Quantity
from memory.pairs.roles import roles_agree
from memory.pairs.texts import Side

# They say where something is, which "is" says too.
_PLACED = frozenset(map(base, "stand lie lies sit located hang stay remain".split()))
_ADDS_NOTHING = frozenset(map(base, "happen let here".split()))
_COUNTING = frozenset(map(base, "measure number times age".split()))
_HAVING = frozenset(map(base, "have contain hold comprise".split()))
# What may be done to something without another word: "red torches are banned" forbids their use.
_LASTING = frozenset(map(base, "have own live work know like love want need stay keep play use".split()))
_IMPLIED = frozenset(map(base, "use do have get make bring".split()))


class _Pairing:
    """Which word of one statement accounts for which of the other."""

    def __init__(self, one: Clause, other: Clause) -> None:
        self.one, self.other = one, other
        self._places = (one.atoms(), other.atoms())
        free = list(range(len(self._places[1])))
        self.left: list[Atom] = []
        self.keys: tuple[dict[int, int], dict[int, int]] = ({}, {})
        for at, atom in enumerate(self._places[0]):
            # The same word first, then one that stands for it.
            found = next((to for to in free if self._identical(atom, self._places[1][to])), None)
            if found is None:
                found = next((to for to in free if self._accounts(atom, self._places[1][to])), None)
            if found is None:
                self.left.append(atom)
                continue
            free.remove(found)
            self.keys[0][at] = self.keys[1][found] = at
        self.right = [self._places[1][at] for at in free]

    def _identical(self, one: Atom, other: Atom) -> bool:
        if one == other:
            return True
        if not (isinstance(one, str) and isinstance(other, str)) or one in self.one.exact or other in self.other.exact:
            return False
        return base(one) == base(other)

    def _accounts(self, one: Atom, other: Atom) -> bool:
        if isinstance(one, Quantity) or isinstance(other, Quantity):
            return isinstance(one, Quantity) and isinstance(other, Quantity) and one.is_written_as(other)
        if one in self.one.exact or other in self.other.exact:
            return one == other
        return one_meaning(one, other) or (bool(dimensions(one) & dimensions(other)) and self._measured())

    def one_number(self) -> bool:
        """Tell whether nobody has "a cat" in one statement and "cats" in the other."""
        personal = (self.one.persons - ANYBODY) or _HAVING & {base(word) for word in words_of(self.one)}
        if not personal:
            return True
        pairs = {key: at for at, key in self.keys[1].items()}
        for at, key in self.keys[0].items():
            first, second = self._places[0][at], self._places[1][pairs[key]]
            if first == second or not (isinstance(first, str) and isinstance(second, str)):
                continue
            if (first in self.one.single and second.endswith("s")) or (
                second in self.other.single and first.endswith("s")
            ):
                return False
        return True

    def _measured(self) -> bool:
        return any(isinstance(one, Quantity) and one.kind not in TIMES for one in self._places[0])


def says_the_same_otherwise(old: Side, new: Side) -> bool:
    """Tell whether two English statements, whose values and denials agree, are one fact in other words."""
    one, other = clause(old), clause(new)
    if not _features_agree(one, other):
        return False
    pairing = _Pairing(one, other)
    if (pairing.left and pairing.right) or not pairing.one_number() or not _focus_agrees(one, other):
        return False
    if not (_adds_nothing(pairing.left, one, other) and _adds_nothing(pairing.right, other, one)):
        return False
    return roles_agree(one, other, pairing.keys)


def _focus_agrees(one: Clause, other: Clause) -> bool:
    """Tell whether "only" stands before the same word in both."""
    limits = frozenset(("only", "even", "mainly", "mostly"))
    if limits.isdisjoint(one.atoms()) and limits.isdisjoint(other.atoms()):
        return True
    return len(one.focus) == len(other.focus) and all(
        first == second or (isinstance(first, str) and isinstance(second, str) and one_meaning(first, second))
        for first, second in zip(one.focus, other.focus, strict=True)
    )


def _features_agree(one: Clause, other: Clause) -> bool:
    return (
        one.denied == other.denied and _moods_agree(one, other) and _times(one) == _times(other)
        and _persons_agree(one, other) and (one.all_of == other.all_of or not (one.denied or "past" in one.times))
    )  # fmt: skip


def _times(one: Clause) -> set[str]:
    """Return when a statement is true; "has passed" is "passed", unless it goes on or says for how long."""
    times = one.times - {""}
    lasts = one.links or any(way in ("since", "for", "until") for way, _ in one.phrases)
    lasts |= not _LASTING.isdisjoint(map(base, words_of(one)))
    if "perfect" not in times:
        return times
    return times - {"past"} if lasts else (times - {"perfect"}) | {"past"}


def _moods_agree(one: Clause, other: Clause) -> bool:
    """Tell whether both allow, demand or state; an order demands, and may state what is usual."""
    if one.moods == other.moods:
        return True
    first, second = (each.moods - {"can"} if "must" in each.moods else each.moods for each in (one, other))
    for ordering, moods, own in ((gives_order(one, other), second, first), (gives_order(other, one), first, second)):
        if ordering and not own and (moods <= {"must", "should"} or (one.denied and moods <= {"can"})):
            return True
    return first == second


def _persons_agree(one: Clause, other: Clause) -> bool:
    if one.persons - ANYBODY != other.persons - ANYBODY:
        return False
    first, second = one.persons & ANYBODY, other.persons & ANYBODY
    return not (first and second) or first == second or first | second == {"you", "people"}


def _adds_nothing(left: Iterable[Atom], one: Clause, other: Clause) -> bool:
    """Tell whether words of a statement that the other lacks are said there by how it is built."""
    return all(isinstance(word, str) and _is_light(word, one, other) for word in left)


def _is_light(word: str, one: Clause, other: Clause) -> bool:
    if word in one.exact:
        return False
    form = base(word)
    if form in _ADDS_NOTHING:
        return True
    if form in _COUNTING:
        return any(isinstance(atom, Quantity) for atom in one.atoms())
    if form in _HAVING and other.exists:
        return True
    if form == base("have"):
        return (
            other.exists
            or measures(other)
            or any(way in ("with", "of") for way, _ in other.phrases)
            or _both_must(one, other)
        )
    if form in _PLACED:
        return bool(other.links or other.exists or other.passive)
    if form in _IMPLIED:
        return bool((one.moods | other.moods) & {"can", "must"} or gives_order(one, other))
    return bool(dimensions(word)) and measures(one)


def _both_must(one: Clause, other: Clause) -> bool:
    return "must" in one.moods & other.moods

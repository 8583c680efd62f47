"""Two statements laid side by side: what they share at both ends, and the one place where they part.

"Backups run at 01:00." and "Backups run at 03:30." share a subject and a state, and part in a value. Whether the new
value takes the old one's place depends on what parts and on what stands before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import regex

from memory.pairs.change_words import (
    ADDITIVE,
    AUXILIARIES,
    CHANGES,
    COMPARING,
    DAY_WORDS,
    DEFINITE,
    ENDINGS,
    EXCLUSIVE,
    FUNCTION_WORDS,
    INDEFINITE,
    IS,
    LOCATED,
    NOWS,
    OPPOSITES,
    PENDING,
    PLACES,
    PREPOSITIONS,
    SINCES,
    SINGLE,
    STATES,
    UNCHANGING,
)
from memory.pairs.denials import is_denial
from memory.pairs.quantities import Quantity, other_quantities, same_quantities
from memory.pairs.quantity_reading import is_value, quantities
from memory.pairs.quantity_words import PARTS_OF_DAY, UNITS
from memory.pairs.synonyms import canonical
from memory.pairs.texts import Side, content_of, missing, same_word, shared_start

# A run of more words is a new sentence rather than a new value.
LONGEST_RUN = 4
# A name has no more.
MOST_WORDS = 3
_WHEN = frozenset("after before within nach vor binnen après avant después antes depois dopo prima после до".split())
_COLONS = frozenset(":=")
# A figure after these is a name: there may be another of them.
_NUMBERED = frozenset(
    "number no nr nummer numéro número numero номер room hall gate line shelf box seat platform floor bay dock quay "
    "unit lane raum halle zimmer".split()
)
_HAVE = frozenset("has have habe hat haben ai ont tengo tiene tienen tem tenho têm ho ha hanno har ma mam heb".split())
_HAN = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
Run = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What two statements share, and the runs in which they part."""

    head: Run
    old: Run
    new: Run
    tail: Run
    names: frozenset[str]  # words that either statement writes with a capital
    cue: bool  # only the new one says "now"

    @property
    def states(self) -> bool:
        """Whether the place of the run is that of a value: after a verb of a state, or after a colon."""
        if any(token in STATES for token in self.head) or not _COLONS.isdisjoint(self.head[1:]):
            return True
        if self.head and self.head[-1] in COMPARING and any(token in STATES for token in self.tail):
            return True
        return _han_states(self.head, self.tail)


def frame(old: Side, new: Side) -> Frame:
    """Lay two statements side by side, without the words that only say "now" or since when."""
    before, after = _timeless(old.tokens), _timeless(new.tokens)
    head = shared_start(before, after)
    tail = shared_start(before[head:][::-1], after[head:][::-1])
    return Frame(
        head=before[:head],
        old=before[head : len(before) - tail],
        new=after[head : len(after) - tail],
        tail=before[len(before) - tail :],
        names=old.names | new.names,
        cue=not NOWS.isdisjoint(new.tokens) and NOWS.isdisjoint(old.tokens),
    )


def new_value(laid: Frame) -> bool:
    """Tell whether the new run is another value of the same attribute."""
    if not (0 < len(laid.old) <= LONGEST_RUN and 0 < len(laid.new) <= LONGEST_RUN and laid.states):
        return False
    if happens_once(laid) or _denies(laid.old) != _denies(laid.new):
        return False
    return _opposite(laid) or _other_figure(laid) or (_other_word(laid) and _one_span(laid))


def happens_once(laid: Frame) -> bool:
    """Tell whether the shared part speaks of what cannot change, such as a birth."""
    return not UNCHANGING.isdisjoint((*laid.head, *laid.tail, *laid.old, *laid.new))


def changed_state(laid: Frame) -> bool:
    """Tell whether the new statement says that the state of the same subject changed: "is ...", "was moved ...".

    The subject must end where the old statement's verb begins.
    """
    if not (laid.old and laid.new and content_of(laid.head)) or laid.states or happens_once(laid):
        return False
    said = set(laid.new) - set(laid.old)
    if laid.new[0] not in STATES | CHANGES | ENDINGS | AUXILIARIES:
        return False
    if (laid.old[0] not in STATES and laid.old[0] not in _COLONS) or said.isdisjoint(CHANGES | ENDINGS):
        return False
    old_values, new_values = _values(laid.old), _values(laid.new)
    if old_values or new_values:
        other = not same_quantities(old_values, new_values)
        return other and _comparable(old_values, new_values) and not _counts_other(laid)
    if len(laid.new) > 2 * LONGEST_RUN:
        return False
    if not said.isdisjoint(ENDINGS) and not PENDING.isdisjoint(laid.old):
        return not _elsewhere(laid)
    located = laid.old[0] in LOCATED and not PLACES.isdisjoint(laid.old)
    return located and not said.isdisjoint(CHANGES) and not PLACES.isdisjoint(laid.new)


def _elsewhere(laid: Frame) -> bool:
    """Tell whether the new run names a place that the old one does not: what works there may be another thing."""
    at = next((place for place, token in enumerate(laid.new) if token in PLACES), len(laid.new))
    return bool(missing(content_of(laid.new[at:]), content_of(laid.old)))


def parted_figures(laid: Frame) -> bool:
    """Tell whether the statements part in one figure only, such as a year."""
    old, new = _values(laid.old), _values(laid.new)
    alone = _unmeasured(laid.old) == _unmeasured(laid.new)
    return bool(old and new) and alone and not _counts_other(laid) and not same_quantities(old, new)


def parts_in_subject(laid: Frame) -> bool:
    """Tell whether two statements built alike part where they begin, or part both there and at their end."""
    before, after = laid.old, laid.new
    if _opens_otherwise(laid):
        return True
    if not before or not after or not (_is_content(before[0]) and _is_content(after[0])):
        return False
    if not content_of(laid.head) and content_of(laid.tail) and not CHANGES & set(after):
        return True
    if len(before) != len(after) or len(before) < 3 or not (laid.head or laid.tail):
        return False
    apart = [one != other for one, other in zip(before, after, strict=True)]
    return apart[-1] and not all(apart) and _is_content(before[-1]) and _is_content(after[-1])


def _opens_otherwise(laid: Frame) -> bool:
    """Tell whether two statements end alike, in most of their words, and part in who or what they open with."""
    longest = max(len(laid.old), len(laid.new)) + len(laid.head)
    if not (laid.old and laid.new) or laid.states or not CHANGES.isdisjoint(laid.new):
        return False
    if not laid.tail or (len(laid.tail) < longest and laid.tail[0] not in IS):
        return _two_names(laid)
    return [canonical(word) for word in laid.old] != [canonical(word) for word in laid.new]


def _two_names(laid: Frame) -> bool:
    """Tell whether each statement opens with one word and its verb, and that word is not in the other at all."""
    verbs = STATES | CHANGES | ENDINGS
    if laid.head or len(laid.old) < 2 or len(laid.new) < 2 or laid.old[1] not in verbs or laid.new[1] not in verbs:
        return False
    one, other = laid.old[0], laid.new[0]
    if not FUNCTION_WORDS.isdisjoint((one, other)) or canonical(one) == canonical(other):
        return False
    return one not in laid.new and other not in laid.old and not same_word(one, other)


def _is_content(token: str) -> bool:
    return bool(content_of((token,)))


def _timeless(tokens: Run) -> Run:
    """Leave out "now" and a closing "since ..."."""
    cut = next((at for at, token in enumerate(tokens) if at > 2 and token in SINCES), len(tokens))
    return tuple(token for token in tokens[:cut] if token not in NOWS)


def _han_states(head: Run, tail: Run) -> bool:
    """Tell whether a Chinese or Japanese frame, whose verbs no table holds, speaks of no past event."""
    shared = (*head, *tail)
    return len(head) > 1 and bool(_HAN.match(head[0])) and "了" not in shared and "た" not in shared[-3:]


def _opposite(laid: Frame) -> bool:
    """Tell whether the runs are opposite states, and nothing else differs: no place, no day."""
    for one in laid.old:
        for other in laid.new:
            if frozenset((one, other)) in OPPOSITES:
                return [word for word in laid.old if word != one] == [word for word in laid.new if word != other]
    return False


def _other_figure(laid: Frame) -> bool:
    old, new = _values(laid.old), _values(laid.new)
    if not parted_figures(laid) or not _comparable(old, new) or not _one_figure(laid, old, new):
        return False
    dated = {one.kind for one in (*old, *new)} & {"weekday", "month", "clock"}
    # "I have yoga on Monday", "a meeting at ten": one may have another one too.
    has = not _HAVE.isdisjoint(laid.head)
    return not (has and (dated or not INDEFINITE.isdisjoint(laid.head))) and _same_relation(laid)


def _one_figure(laid: Frame, old: Sequence[Quantity], new: Sequence[Quantity]) -> bool:
    """Tell whether a single figure differs, and is what is said rather than when, where or of which one.

    A lone weekday, month or place in a row may be one more: only a word of change makes it another value.
    """
    lost, added = other_quantities(old, new)
    if len(lost) != 1 or len(added) != 1:
        return False
    which = any(one.kind in ("weekday", "month") or (one.kind == "" and one.loose) for one in (*lost, *added))
    if which or _names_part(laid):
        return laid.cue
    return True


def _unmeasured(run: Run) -> list[str]:
    """Return the words of a run without its figures and their units."""
    return [word for word in run if not is_value(word) and word not in UNITS and word not in PARTS_OF_DAY]


def _names_part(laid: Frame) -> bool:
    """Tell whether a figure says which one or when: "in room 3", "after 10 minutes"."""
    if laid.head[-1] in _WHEN or laid.head[-1] in _NUMBERED:
        return True
    if laid.head[-1] in COMPARING or laid.head[-1] == "version":
        return False
    return len(laid.head) > 2 and _is_content(laid.head[-1]) and laid.head[-2] in PLACES and laid.head[-1] not in STATES


def _one_span(laid: Frame) -> bool:
    """Tell whether a run is one name or word, with no part joined to it that says where, when or for whom."""
    runs = (laid.old, laid.new)
    if any(not PREPOSITIONS.isdisjoint(run[1:]) or len(content_of(run)) > MOST_WORDS for run in runs):
        return False
    return laid.cue or all(DAY_WORDS.isdisjoint(run) for run in runs)


def _other_word(laid: Frame) -> bool:
    """Tell whether another name, place or word takes the place of the former where there is room for one only."""
    if _values(laid.old) or _values(laid.new):
        return False
    around = (*laid.head, *laid.old, *laid.new)
    if not ADDITIVE.isdisjoint(around) or not INDEFINITE.isdisjoint((laid.head[-1], laid.old[0], laid.new[0])):
        return False
    if not _other_content(laid) or not _same_relation(laid):
        return False
    if _named(laid.old, laid.names) != _named(laid.new, laid.names):
        return False
    if laid.head[-1] in _COLONS or not EXCLUSIVE.isdisjoint(laid.head):
        return True
    return not IS.isdisjoint(laid.head) and not _goes_on(laid.head) and _one_of_a_kind(laid)


def _goes_on(head: Run) -> bool:
    """Tell whether somebody is doing something, such as reading: one may do it to several things."""
    return any(one in IS and len(other) > 4 and other.endswith("ing") for one, other in pairwise(head))


def _other_content(laid: Frame) -> bool:
    """Tell whether each run has a word that the other has not, also not as a synonym."""
    old, new = ([canonical(word) for word in content_of(run)] for run in (laid.old, laid.new))
    return bool(missing(old, new) and missing(new, old))


def _one_of_a_kind(laid: Frame) -> bool:
    """Tell whether a subject that *is* something can be only one such thing: a name, a place, what has one value."""
    state = next(at for at, token in enumerate(laid.head) if token in IS)
    if not SINGLE.isdisjoint(laid.head[:state]):
        return True
    if _named(laid.old, laid.names) and not content_of(laid.tail):
        return True
    if laid.head[-1] in PLACES:
        return (laid.old[0] in DEFINITE) == (laid.new[0] in DEFINITE)
    return laid.head[-1] in DEFINITE and laid.head[-2] in PLACES


def _same_relation(laid: Frame) -> bool:
    """Tell whether both runs have the same prepositions: "at 8" and "from track 5" are two attributes."""
    return PREPOSITIONS & set(laid.old) == PREPOSITIONS & set(laid.new)


def _named(run: Run, names: frozenset[str]) -> bool:
    words = content_of(run)
    return bool(words) and all(word in names for word in words)


def _denies(run: Run) -> bool:
    return any(is_denial(token) for token in run)


def _values(run: Run) -> list[Quantity]:
    return quantities(" ".join(run))


def _comparable(old: Sequence[Quantity], new: Sequence[Quantity]) -> bool:
    kinds = {one.kind for one in old} | {""}
    return bool(old and new) and (any(one.kind in kinds for one in new) or any(one.kind == "" for one in old))


def _counts_other(laid: Frame) -> bool:
    """Tell whether the runs count different things: "31 tables", "12 views"."""
    old, new = ([word for word in content_of(run) if word not in UNITS] for run in (laid.old, laid.new))
    return bool(old and new and missing(old, new) and missing(new, old)) and SINGLE.isdisjoint(laid.head)

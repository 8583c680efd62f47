"""An English statement as a clause: what is said, what with, and who does it to whom.

A small reading without a grammar. What it gets wrong it gets wrong in a way that leaves two statements apart: words are
only ever dropped when a table knows that they add nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import regex

from memory.pairs.concepts import CONCEPTS, VERBS, dimensions
from memory.pairs.english_forms import DONE, PASTS, base, is_participle
from memory.pairs.phrases import plainly_put
from memory.pairs.quantities import Quantity
from memory.pairs.quantity_reading import parts
from memory.pairs.texts import Side

Atom = str | Quantity

TIMES = frozenset(("weekday", "month", "clock", "time"))

_BE = {
    "is": "", "are": "", "am": "", "was": "past", "were": "past", "be": "", "been": "", "being": "going on",
}  # fmt: skip
_HAVE = frozenset(("has", "have", "had"))
_DO = frozenset(("do", "does", "did"))
_GETS = frozenset(("get", "gets", "got", "gotten", "getting"))
_MOODS = {"must": "must", "can": "can", "may": "can", "should": "should", "shall": "must", "optionally": "optional"} | {
    word: word for word in ("will", "might", "could", "would")
}
_ALLOWED = frozenset("allowed permitted possible".split())
_FORBIDDEN = frozenset("forbidden prohibited banned".split())
_REQUIRED = frozenset("required needed necessary mandatory compulsory obligatory need needs require requires".split())
_DENIALS = frozenset("not no never none nothing neither nor".split())
_PERSONS = {
    word: person
    for person, words in {
        "i": "i", "me": "me myself", "my": "my mine", "he": "he", "him": "him himself", "his": "his", "she": "she",
        "her": "her hers herself", "we": "we our ours", "us": "us", "they": "they their theirs", "them": "them",
        "you": "you your yours", "people": "people everyone everybody anyone anybody whoever someone somebody",
    }.items()
    for word in words.split()
}  # fmt: skip
# They may stand for whoever it is, and be left out.
ANYBODY = frozenset(("we", "they", "them", "you", "people"))
_ALL = frozenset("all every each any".split())
_DROPPED = frozenset("the a an that it its which so very quite just".split())
_DEFINITE = frozenset("the my our your his her its".split())
_ADVERBS = frozenset("not also only never always still already automatically usually often no".split())
PREPOSITIONS = frozenset(
    "in on at from to into onto out for with without by of before after during until since under over above below "
    "behind beside near between through across against within around beyond inside outside as than if because about "
    "via per along among towards toward upon except despite atmost atleast morethan lessthan unless while although "
    "or but".split()
)
_SIGNS = frozenset(("$", "€", "£", "eur", "euro", "usd"))
# "TV" is an abbreviation, and no name.
_SHOUTED = regex.compile(r"\b\p{Lu}{2,}\b")
_PLAINLY_BEFORE = frozenset(_BE) | PREPOSITIONS | _DEFINITE | _ADVERBS | {"a", "an", "this", "that"} | _ALL
_UNFOCUSED = _DROPPED | _ADVERBS | _DO | frozenset(_MOODS)
_FOCUSING = frozenset("only even mainly mostly".split())
_OWNERS = frozenset("my your his her our their its".split())
_AFTER_NAME = PREPOSITIONS | {"the", "a", "an", "not", "my", "your", "his", "her", "been", "being", "still", "called"}


@dataclass(slots=True, kw_only=True)
class Clause:
    """One English statement, read."""

    core: list[Atom] = field(default_factory=list)  # in order, what no preposition governs
    phrases: list[tuple[str, list[Atom]]] = field(default_factory=list)  # a preposition and what it governs
    moods: set[str] = field(default_factory=set)  # "must", "can", ...
    times: set[str] = field(default_factory=set)  # "past", "perfect", "going on"
    persons: set[str] = field(default_factory=set)
    passive: list[str] = field(default_factory=list)  # participles behind a form of "be"
    exact: set[str] = field(default_factory=set)  # names, and what is done as a thing: "I like fishing"
    denied: bool = False
    exists: bool = False  # "there is"
    links: bool = False  # a form of "be" that is followed by no participle
    opening: str = ""  # the base of the first word, when it can be an imperative
    opens: bool = False  # with a preposition
    all_of: bool = False
    focus: list[Atom] = field(default_factory=list)  # what "only" and the like, or "not", stand before
    single: set[str] = field(default_factory=set)  # words behind "a"
    definite: bool = False  # "the", "my": it speaks of one thing

    def atoms(self) -> list[Atom]:
        """Return everything that is said."""
        return [*self.core, *(atom for _, run in self.phrases for atom in run)]


def clause(one: Side) -> Clause:
    """Read a statement."""
    tokens = parts(plainly_put(one.text))
    shouted = {word.casefold() for word in _SHOUTED.findall(one.said) if base(word.casefold()) in CONCEPTS}
    found = Clause(exact=set(one.names - {"i"} - shouted))
    _Reader(found, tokens).read()
    return found


class _Reader:
    """Reads the words of a statement from left to right into a clause."""

    def __init__(self, found: Clause, tokens: Sequence[Atom]) -> None:
        self._found, self._tokens = found, tokens
        self._run = found.core  # where the next word goes
        self._since = 0  # where the present name or noun begins in it
        self._at = 0

    def read(self) -> None:
        """Read every word."""
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            if isinstance(token, Quantity):
                self._run.append(token)
            else:
                self._word(token)
            self._at += 1

    def _next(self) -> Atom:
        """Return the next word that is no adverb; empty at the end."""
        rest = self._tokens[self._at + 1 :]
        return next((one for one in rest if one not in _ADVERBS), "")

    def _focused(self) -> Atom:
        """Return the word that "only" or "not" stands before; empty when it closes the statement."""
        rest = self._tokens[self._at + 1 :]
        return next((one for one in rest if one not in _UNFOCUSED), "")

    def _done(self) -> str:
        """Return the participle that the next word is, if it is one."""
        following = self._next()
        return following if isinstance(following, str) and is_participle(following) else ""

    def _word(self, word: str) -> None:
        found = self._found
        self._mark(word)
        if word in found.exact:
            self._run.append(word)
        elif word in _SIGNS and isinstance(self._next(), Quantity):
            return
        elif self._person(word) or self._mood(word):
            self._break()
        elif word in _DENIALS:
            found.denied = not found.denied
        elif word in _ALL:
            self._all()
        elif word == "s":
            self._possessive()
        elif not self._auxiliary(word):
            self._said(word)

    def _mark(self, word: str) -> None:
        """Note what a word says of the one that follows it."""
        found = self._found
        found.definite |= word in _DEFINITE
        if word in _FOCUSING or word in _DENIALS:
            found.focus.append(self._focused())
        if word in ("a", "an") and isinstance(self._next(), str):
            found.single.add(str(self._next()))

    def _person(self, word: str) -> bool:
        """Read a pronoun, "there" before "is", or what may be left out."""
        found, before = self._found, self._tokens[self._at - 1] if self._at else ""
        if word in _PERSONS:
            found.persons.add("i" if word == "me" and before == "by" else _PERSONS[word])
        elif word == "there" and (self._next() in _BE or self._next() in _MOODS):
            found.exists = True
        elif word == "it" and _is_verb(str(before)):
            found.persons.add("it")
        else:
            return word in _DROPPED or (word == "own" and before in _OWNERS)
        return True

    def _mood(self, word: str) -> bool:
        """Read what says that something must, can or must not be."""
        found = self._found
        if word in _MOODS and self._at:
            found.moods.add(_MOODS[word])
        elif word in _ALLOWED or word in _FORBIDDEN:
            found.moods.add("can")
            found.denied ^= word in _FORBIDDEN
        elif word in _REQUIRED:
            found.moods.add("must")
        else:
            return False
        return True

    def _break(self) -> None:
        """End the run of a preposition; an article may stand right behind it."""
        if self._run is not self._found.core and not all(
            isinstance(one, str) and one.endswith("ing") for one in self._run
        ):
            self._run = self._found.core
        self._since = len(self._run)

    def _all(self) -> None:
        if isinstance(self._next(), Quantity) and self._tokens[self._at] != "all":
            self._break()
            self._run.append("every")
        else:
            self._found.all_of = True
            self._break()

    def _possessive(self) -> None:
        """Read "'s" behind a name: "is" before what is no noun, else what comes before it owns what follows."""
        following = self._next()
        last = self._at + 2 >= len(self._tokens)
        if following == "been":
            self._found.times.add("perfect")
            self._break()
        elif last or following in _AFTER_NAME or self._done() or str(following).endswith("ing"):
            self._found.links |= not self._done()
            self._break()
        elif len(self._run) > self._since:
            self._found.phrases.append(("of", self._run[self._since :]))
            del self._run[self._since :]

    def _auxiliary(self, word: str) -> bool:
        """Read a form of "be", "have", "do" or "get" that only helps another verb."""
        found, done = self._found, self._done()
        if word in _BE or (word in _GETS and done and done != "got"):
            found.times.add("past" if word == "got" else _BE.get(word, ""))
            self._break()
            following = self._next()
            if done:
                found.passive.append(base(done))
            elif word not in ("been", "being") and isinstance(following, str) and _goes_on(following):
                found.times.add("going on")
            elif following not in _BE:
                found.links = True
            return True
        if word in _HAVE and (done or self._next() in ("been", "had")) and done not in ("need",):
            found.times.add("past" if word == "had" else "perfect")
            self._break()
            return True
        if word in _DO and self._next() != "":
            found.times.add("past" if word == "did" else "")
            self._break()
            return True
        return False

    def _said(self, word: str) -> None:
        found = self._found
        if word in PREPOSITIONS:
            following = self._next()
            permitted = self._at > 0 and self._tokens[self._at - 1] in _ALLOWED | _FORBIDDEN
            acts = isinstance(following, str) and base(following) in VERBS and following not in found.exact
            if word == "to" and (permitted or acts):
                self._break()
            else:
                found.opens |= not (found.core or found.phrases)
                run: list[Atom] = []
                found.phrases.append((word, run))
                self._run, self._since = run, 0
            return
        if _is_verb(word) and not word.endswith("ing"):
            if word not in ("use", "lift"):
                self._break()
            if self._past(word):
                found.times.add("past")
        before = self._tokens[self._at - 1] if self._at else ""
        if word.endswith("ing") and isinstance(before, str) and before and before not in _PLAINLY_BEFORE:
            found.exact.add(word)
        if not found.core and not found.phrases and not found.persons and base(word) in (word, word.removesuffix("e")):
            found.opening = base(word)
        self._run.append(word)

    def _past(self, word: str) -> bool:
        """Tell whether a verb is of the past by itself, with no auxiliary before it."""
        if word not in PASTS and not (word.endswith("ed") and is_participle(word)):
            return False
        before = [one for one in self._tokens[max(0, self._at - 3) : self._at] if isinstance(one, str)]
        helped = any(one in _BE or one in _HAVE or one in _GETS or one == "s" for one in before)
        if helped:
            return word in PASTS and word not in DONE
        return bool(before) or self._at > 0


def _goes_on(word: str) -> bool:
    return len(word) > 5 and word.endswith("ing") and base(word) != word and base(word) in VERBS


def _is_verb(word: str) -> bool:
    return base(word) in VERBS or is_participle(word) or word in PASTS


def words_of(one: Clause) -> list[str]:
    """Return the words that are said, without values."""
    return [atom for atom in one.atoms() if isinstance(atom, str)]


def measures(one: Clause) -> bool:
    """Tell whether a statement gives a dimension its value."""
    return any(isinstance(atom, str) and dimensions(atom) for atom in one.atoms()) and any(
        isinstance(atom, Quantity) and atom.kind not in TIMES for atom in one.atoms()
    )


def gives_order(one: Clause, other: Clause) -> bool:
    """Tell whether a statement opens with a verb that orders: one of the table, or one that is done in the other."""
    if not one.opening or one.links or one.passive or one.opening in one.exact or one.exists:
        return False
    return one.opening in VERBS or one.opening == "let" or one.opening in other.passive

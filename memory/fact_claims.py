"""What a fact may not add to its quote: names that its source does not have, a denial, or another person as subject.

A model that was led astray, or guesses, gives a true quote to a fact that says something else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

import regex

from memory.pairs.denials import denies, denies_softly
from memory.statements import normalised

_WORD = regex.compile(r"[\p{L}\p{M}][\p{L}\p{M}\p{N}'’-]*")
_ENDS = regex.compile(r"(?:^|[.!?:;\n\"“„«(])\s*$")
# Written with a capital letter in English and no name: times are checked as dates; a short run of capitals may stand
# for words that the source spells out.
_NO_NAMES = frozenset(
    "i i'm i've i'd i'll january february march april may june july august september october november december monday "
    "tuesday wednesday thursday friday saturday sunday user assistant speaker customer client human agent mr mrs ms dr "
    "prof bc ad am pm christmas easter".split()
)
_ACRONYM = regex.compile(r"\p{Lu}[\p{Lu}\p{N}]{0,5}s?")
# German writes every noun with a capital letter: only capitals side by side are looked at there.
_GERMAN = frozenset(
    "der die das und ist nicht ein eine einen einem im am zum zur mit von für auf den dem des hat".split()
)
# An inflected name shares all but its last letters.
_ENDING = 2
_FEWEST_SHARED = 4
# Words that may stand for a denial between two statements, and in a fact and its quote do not.
_NOT_SOFT = frozenset(
    "weak near outside zu ab erst limit limited max min maximum minimum most least exceed exceeds light small short "
    "simple plain dry cheap "
    "close nearby always extra zero few last from after to too stay stays keep keeps remain remains still off out "
    "away bare alone young shy bad badly pending secret confidential expensive costly pricey".split()
)

_CLAUSE = regex.compile(
    r"[.;:!?,\n。！？、，；]|\b(?:but|and|because|although|while|aber|und|weil|mais|et|pero|y)\b", regex.IGNORECASE
)
# "She left Oslo" may become "she no longer lives in Oslo".
_ENDED = regex.compile(
    r"\b(?:no longer|not any ?more|anymore|nicht mehr|kein\w* mehr|ne \w+ plus|ya no|non \w+ più|больше не)\b",
    regex.IGNORECASE,
)
_I_SAY = regex.compile(
    r"\W*(?:(?:well|yes|yeah|yep|no|and|but|so|also|actually|oh|ok|okay|hi|hey|sure|today|now)\b\W*){0,3}"
    r"(?:I|ich|je|j['’]|yo|eu|io|jag|jeg|ik|я)\b(?!\.)",
    regex.IGNORECASE,
)
_NAMED_SUBJECT = regex.compile(
    r"(?P<name>\p{Lu}[\p{L}\p{M}-]+)(?:\s\p{Lu}[\p{L}\p{M}-]+)*(?:['’]s)?\s+"
    r"(?:is|was|has|had|will|would|can|could|never|always|also|does|did|\p{Ll}+s|\p{Ll}+ed|went|bought|got|said|told|made|"
    r"took|met|left|lived|moved|wohnt|lebt|hat|ist|habite|est|vive|tiene|es)\b"
)
_OPENERS = frozenset(
    "the a an this that these those there it he she they we you my our his her their its some all no one der die das "
    "ein eine le la les un une el los las il lo gli o os as".split()
)
_ROLES = frozenset(("user", "assistant"))


def strange_names(text: str, entities: Iterable[str], known: Iterable[str]) -> bool:
    """Tell whether a fact names somebody or something that nothing around it names.

    Args:
        text: of the fact.
        entities: names of persons, organisations and places that the model gives with it.
        known: what may name them: the texts of the group and what is before it, titles, headings and speakers.

    Returns:
        True for a name that no known text has, in any case or with another ending. The first word of a sentence is
        taken for an ordinary one unless it is among the entities.
    """
    said = {word for one in known for word in _words(one)}
    names = [
        *_names(text),
        *(word for one in entities if one[:1].isupper() and one in text for word in _WORD.findall(one)),
    ]
    return any(not _is_known(name, said) for name in map(_bare, names) if name not in _NO_NAMES)


def denies_otherwise(text: str, quote: str, before: str) -> bool:
    """Tell whether a fact denies what its quote does not deny, or the reverse.

    Args:
        text: of the fact.
        quote: that it rests on.
        before: what stands in front of the quote: a denial there, in the same clause, belongs to it.
    """
    lead = _CLAUSE.split(before)[-1]
    said = f"{lead} {quote}"
    if _denies(text) == _denies(said) or _ENDED.search(text) or _ENDED.search(said):
        return False
    if _denies(text):
        return not _softly(said)
    # What is said beside the denial may be the fact: "not tea but coffee".
    return all(map(_denies, _nearest(text, said))) and not _softly(text)


def has_another_subject(text: str, quote: str, speaker: str | None, others: Iterable[str]) -> bool:
    """Tell whether a fact is about somebody else than the speaker, who says "I".

    Args:
        text: of the fact.
        quote: that it rests on.
        speaker: who said the quote; a role is nobody's name.
        others: names of those who speak in the group.
    """
    found = _NAMED_SUBJECT.match(text)
    if speaker is None or found is None or not _I_SAY.match(quote):
        return False
    name = _bare(found["name"])
    mine = set(_words(speaker))
    if name in _OPENERS or name in _NO_NAMES or _is_known(name, mine | set(_words(quote))):
        return False
    if any(_is_known(name, set(_words(one))) for one in others if one != speaker):
        return True
    return speaker.casefold() not in _ROLES and mine.isdisjoint(_words(text))


def _names(text: str) -> Iterator[str]:
    """Yield the words that are written as names: those with a capital letter that no sentence begins with."""
    found = [
        one
        for one in _WORD.finditer(text)
        if one[0][:1].isupper() and not _ACRONYM.fullmatch(one[0]) and not _ENDS.search(text, 0, one.start())
    ]
    if len(_GERMAN.intersection(_words(text))) < 2:
        yield from (one[0] for one in found)
        return
    for one, after in pairwise(found):
        if text[one.end() : after.start()] == " ":
            yield from (one[0], after[0])


def _words(text: str) -> list[str]:
    return [_bare(word) for word in _WORD.findall(text)]


def _bare(word: str) -> str:
    return regex.sub(r"['’]s?$", "", word.casefold().replace("’", "'"))


def _is_known(name: str, said: set[str]) -> bool:
    if name in said:
        return True
    parts = name.split("-")
    if len(parts) > 1 and all(part in said for part in parts):
        return True
    # Where letters are not Latin, names are declined.
    fewest = _FEWEST_SHARED if name.isascii() else _FEWEST_SHARED - 1
    least = max(fewest, len(name) - _ENDING) if len(name) >= fewest else len(name)
    return any(word[:least] == name[:least] for word in said if abs(len(word) - len(name)) <= 2 * _ENDING)


def _denies(text: str) -> bool:
    plain = normalised(text)
    return denies(plain, regex.findall(r"[\p{L}']+", plain))


def _softly(text: str) -> bool:
    words = regex.findall(r"[\p{L}']+", normalised(text))
    return denies_softly(word for word in words if word not in _NOT_SOFT)


def _nearest(text: str, said: str) -> list[str]:
    """Return the clauses that share the most words with a fact."""
    mine = set(_words(text))
    clauses = [one for one in _CLAUSE.split(said) if one.strip()] or [said]
    shared = [len(mine.intersection(_words(one))) for one in clauses]
    return [one for one, count in zip(clauses, shared, strict=True) if count == max(shared)]

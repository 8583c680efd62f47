"""Whether two statements say the same: the same words in the same order, but for spelling.

A wrong repetition loses a fact, so nothing may be left over on either side: a word that is not in the other statement may
be a name, a role, a denial or a time in whatever language. What differs may only be the spelling of a value, an article,
or a pair of words that mean the same; the last two in English only, because "ben" or "a" is a name here and a pronoun
there. What is found does not depend on which of the two is the older.
"""

from __future__ import annotations

from collections.abc import Sequence

import regex

from memory.judging import Pair
from memory.pairs.change_words import OCCASIONS
from memory.pairs.quantities import Quantity, parts, plainly_spelled
from memory.pairs.synonyms import canonical
from memory.pairs.texts import Side

# Below it, equal words are not about one thing; no labelled duplicate that the rule finds lies below.
LEAST_SIMILARITY = 0.55
# A statement of one of these words is read as English.
_ENGLISH = frozenset(
    "the is are has have and with my their his her does don't doesn't isn't aren't i i'm i've can't cannot every from "
    "of at".split()
)
_REWRITTEN = tuple(
    (regex.compile(pattern), new)
    for pattern, new in (
        (r"^(?:please note that|note that|fyi|by the way|well|actually|so|please)[,:]? ", ""),
        (r"\bcan't\b|\bcannot\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"n't\b", " not"),
        (r"\bi'm\b", "i am"),
        (r"'re\b", " are"),
        (r"'ve\b", " have"),
        (r"'ll\b", " will"),
        (r"(?<=\b(?:it|that|there|he|she|what|where))'s\b", " is"),
        (r"\b(?:am|is|are) (?:unable|not able) to\b", "can not"),
        (r"\b(?:am|is|are) able to\b", "can"),
        (r"\bnot (?:allowed|permitted)\b", "forbidden"),
        (r"\b(has|have) got\b(?! to)", r"\1"),
        (r"\beach\b", "every"),
        (r"(?<=^(?:[\p{L}'-]+ ){0,3}[\p{L}'-]+): (?=[^:]+$)", " is "),
    )
)
_ARTICLES = {"the": "the", "a": "a", "an": "a"}
# "Few" and "a few" are two things, and "a" before a verb is a name: "team a is late".
_WITH_ARTICLE = frozenset(
    "few little most lot bit number couple is are was were has had have can will may must does did and or of on in at "
    "to".split()
)
# Phrases with these may stand at either end: "in the hall smoking is forbidden".
_MOVING = frozenset("in on at under behind near after before during until from for with without every".split())
# Signs that are no mere punctuation: "C" is not "C++", and -5 is not 5.
_SIGN = regex.compile(
    r"(?<!\p{L})-|-(?!\p{L})|(?<=\p{L}\p{L})\.(?=\p{L}\p{L})"
    r"|[^\p{L}\p{M}\p{Nd}\s\-.,;:!'\"’()…“”„«»‹›。、，！；：「」¿¡%€$£°]"
)
_WORD = regex.compile(r"[\p{L}\p{M}]+")
_MONEY = frozenset("€$£")
_HERE = frozenset("you your yours this that these those here there he she it they him his her its them their".split())
Part = str | Quantity


def says_the_same(pair: Pair, old: Side, new: Side) -> bool:
    """Tell whether the statements of a pair are one fact.

    Args:
        pair: the two statements.
        old: the one that is known, taken apart.
        new: the other, taken apart.
    """
    if pair.similarity < LEAST_SIMILARITY or old.denies != new.denies or old.asks != new.asks:
        return False
    english = _is_english(old) and _is_english(new)
    if not _same_world(pair, old, new, english) or not _cases_agree(pair.old, pair.new):
        return False
    before, after = (_rewritten(one.text) if english else one.text for one in (old, new))
    if _SIGN.findall(plainly_spelled(before)) != _SIGN.findall(plainly_spelled(after)):
        return False
    first, second = (_said(parts(text), english) for text in (before, after))
    return _equal(first, second) or (english and (_moved(first, second) or _moved(second, first)))


def _is_english(one: Side) -> bool:
    return not _ENGLISH.isdisjoint(one.tokens)


def _same_world(pair: Pair, old: Side, new: Side, english: bool) -> bool:
    """Tell whether "today" is one day, and "I", "you" or "she" one person."""
    if pair.old_at != pair.new_at and not OCCASIONS.isdisjoint((*old.tokens, *new.tokens)):
        return False
    if pair.old_speaker == pair.new_speaker:
        return True
    return english and not (old.of_speaker or new.of_speaker) and _HERE.isdisjoint((*old.tokens, *new.tokens))


def _cases_agree(old: str, new: str) -> bool:
    """Tell whether what one statement writes as a name is one in the other, unless that is all in small letters."""
    if old.islower() or new.islower():
        return True
    before, after = (set(_WORD.findall(one)[1:]) for one in (old, new))
    small = {word.casefold() for word in before & after}
    others = {word.casefold() for word in before - after} & {word.casefold() for word in after - before}
    return not others - small


def _rewritten(text: str) -> str:
    for pattern, new in _REWRITTEN:
        text = pattern.sub(new, text)
    return text


def _said(found: Sequence[Part], english: bool) -> list[tuple[str, Part]]:
    """Return the parts of a statement, each with the article before it."""
    said: list[tuple[str, Part]] = []
    article = ""
    for at, part in enumerate(found):
        follows = found[at + 1] if at + 1 < len(found) else ""
        if part in _MONEY and isinstance(follows, Quantity) and follows.kind == "money":
            continue
        if english and part in _ARTICLES and follows and follows not in _WITH_ARTICLE:
            article = _ARTICLES[str(part)]
            continue
        said.append((article, canonical(part) if english and isinstance(part, str) else part))
        article = ""
    return said


def _equal(one: Sequence[tuple[str, Part]], other: Sequence[tuple[str, Part]]) -> bool:
    if len(one) != len(other):
        return False
    return all(
        _one_part(first, second) and (article == another or not (article and another))
        for (article, first), (another, second) in zip(one, other, strict=True)
    )


def _one_part(one: Part, other: Part) -> bool:
    if isinstance(one, Quantity) and isinstance(other, Quantity):
        return one.is_written_as(other)
    return one == other


def _moved(one: Sequence[tuple[str, Part]], other: Sequence[tuple[str, Part]]) -> bool:
    """Tell whether what begins one statement, a preposition and what belongs to it, ends the other."""
    if len(one) != len(other) or not one or one[0][1] not in _MOVING:
        return False
    return any(_equal([*one[cut:], *one[:cut]], other) for cut in range(2, len(one) - 1))

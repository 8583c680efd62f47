"""Whether two statements say the same: the same words in the same order, but for spelling.

A wrong repetition loses a fact, so nothing may be left over on either side: a word that the other statement lacks may
be a name, a role, a denial or a time in whatever language. What differs may only be the spelling of a value, an
article, a pair of words that mean the same, or an order of `memory.pairs.orders`; all but the first in English only,
because "ben" or "a" is a name here and a pronoun there. What is found does not depend on which of the two is the older.
"""

from __future__ import annotations

from collections.abc import Sequence

import regex

from memory.judging import Pair
from memory.pairs.accounted import says_the_same_otherwise
from memory.pairs.change_words import OCCASIONS
from memory.pairs.orders import Part, Words, orders
from memory.pairs.quantities import Quantity
from memory.pairs.quantity_reading import parts, plainly_spelled
from memory.pairs.quantity_words import MONEY
from memory.pairs.reordered import says_the_same_reordered
from memory.pairs.rewriting import rewritten, rules
from memory.pairs.synonyms import canonical
from memory.pairs.texts import Side, differs_in_values

# Below it, equal words are not about one thing; no labelled duplicate that the rule finds lies below.
LEAST_SIMILARITY = 0.55
# Two statements of the same words are read as English when one has one of these.
_ENGLISH = frozenset(
    "the is are has have and with my their his her does don't doesn't isn't aren't i i'm i've can't cannot every from "
    "of at need needs there they you our was were been that this only not".split()
)
_FOREIGN = frozenset(
    "il la le les der das und el los las è é di dei della mi non não no se och är het een w się et un une una".split()
)
_REWRITTEN = rules(
    (
        (
            "actually|by the way|fyi|note that |so, |so: |well",
            r"^(?:(?:please )?note that |(?:fyi|by the way|well|actually|so)[,:] )",
            "",
        ),
        ("can't|cannot", r"\bcan't\b|\bcannot\b", "can not"),
        ("won't", r"\bwon't\b", "will not"),
        ("n't", r"n't\b", " not"),
        ("i'm", r"\bi'm\b", "i am"),
        ("'re", r"'re\b", " are"),
        ("'ve", r"'ve\b", " have"),
        ("'ll", r"'ll\b", " will"),
        ("'s", r"(?<=\b(?:it|that|there|he|she|what|where))'s\b", " is"),
        ("able to", r"\b(?:am|is|are) (?:unable|not able) to\b", "can not"),
        (" able to", r"\b(?:am|is|are) able to\b", "can"),
        ("not allowed|not permitted", r"\bnot (?:allowed|permitted)\b", "forbidden"),
        ("has got|have got", r"\b(has|have) got\b(?! to)", r"\1"),
        ("each", r"\beach\b", "every"),
        ("has to|have to", r"\b(?:has|have) to\b", "must"),
        (" by the way|actually|please ", r",? (?:actually|by the way)$|\b(?:actually|please) ", ""),
        (": ", r"(?<=^(?:[\p{L}'-]+ ){0,3}[\p{L}'-]+): (?=[^:]+$)", " is "),
    )
)
_ARTICLES = {"the": "the", "a": "a", "an": "a"}
# "Few" and "a few" are two things, and "a" before a verb is a name: "team a is late".
_WITH_ARTICLE = frozenset(
    "few little most lot bit number couple is are was were has had have can will may must does did and or of on in at "
    "to".split()
)
# Signs that are no mere punctuation: "C" is not "C++", -5 is not 5, 1.500 may be 1.5, and the code 0417 is not 417.
_SIGN = regex.compile(
    r"(?<=\p{Nd})\.(?=\p{Nd}{3}(?!\p{Nd}))|(?<![\p{Nd}.,:/])0(?=\p{Nd}+(?![\p{Nd}:.h]))|(?<!\p{L})-|-(?!\p{L})|(?<=\p{L}\p{L})\.(?=\p{L}\p{L})"
    r"|[^\p{L}\p{M}\p{Nd}\s\-.,;:!'\"’()…“”„«»‹›。、，！；：「」¿¡%€$£°]"
)
_WORD = regex.compile(r"[\p{L}\p{M}]+")
_SIGNS = frozenset("€$£")
_HERE = frozenset("you your yours this that these those here there he she it they him his her its them their".split())


def says_the_same(pair: Pair, old: Side, new: Side) -> bool:
    """Tell whether the statements of a pair are one fact.

    Args:
        pair: the two statements.
        old: the one that is known, taken apart.
        new: the other, taken apart.
    """
    if pair.similarity < LEAST_SIMILARITY or old.asks != new.asks or differs_in_values(old, new):
        return False
    english = (_is_english(old) or _is_english(new)) and not (_is_foreign(old) or _is_foreign(new))
    if not _same_world(pair, old, new, english) or not _cases_agree(pair.old, pair.new):
        return False
    before, after = (rewritten(one.text, _REWRITTEN) if english else one.text for one in (old, new))
    if _SIGN.findall(plainly_spelled(before)) != _SIGN.findall(plainly_spelled(after)):
        return False
    first, second = (_said(parts(text), english) for text in (before, after))
    if _equal(first, second):
        return True
    if not english:
        return says_the_same_reordered(old, new)
    if says_the_same_otherwise(old, new):
        return True
    return any(_equal(one, second) for one in orders(first)) or any(_equal(first, other) for other in orders(second))


def _is_english(one: Side) -> bool:
    return not _ENGLISH.isdisjoint(one.tokens)


def _is_foreign(one: Side) -> bool:
    return sum(token in _FOREIGN for token in one.tokens) > sum(token in _ENGLISH for token in one.tokens) - (
        "i" in one.tokens
    )


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


def _said(found: Sequence[Part], english: bool) -> Words:
    """Return the parts of a statement, each with the article before it."""
    said: list[tuple[str, Part]] = []
    article = ""
    for at, part in enumerate(found):
        follows = found[at + 1] if at + 1 < len(found) else ""
        if part in _SIGNS and isinstance(follows, Quantity) and follows.kind in MONEY:
            continue
        if english and part in _ARTICLES and follows and follows not in _WITH_ARTICLE:
            article = _ARTICLES[str(part)]
            continue
        said.append((article, canonical(part) if english and isinstance(part, str) else part))
        article = ""
    return said


def _equal(one: Words, other: Words) -> bool:
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

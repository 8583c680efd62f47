"""Finds the events by which a question names a time: "before the move", "while she lived in Oslo"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import regex

AnchorRelation = Literal["before", "after", "since", "until", "during"]

# A question names one or two; each costs a search.
MOST_ANCHORS = 2
# Longer than this it is a story and not the name of an event.
_LONGEST = 120
# At the beginning, and neither an auxiliary verb nor "is it" behind it, but later a comma.
_CLAUSE = (
    r"^(?=\w+\s+(?!(?:did|does|do|is|are|was|were|will|would|has|have|had|can|could|should|est|a|ont|es|fue|era|ha)\b)"
    r"[^,?]+,)"
)
_RELATIONS: Sequence[tuple[AnchorRelation, str, str]] = (
    # relation, before its phrase, behind its phrase (Chinese and Japanese)
    ("before",
     r"before|prior\s+to|bevor|ehe|vor(?=\s+(?:de[mnr]|der|(?:m|d|s)?ein\w*|ihre[mnrs]?|unser\w*|eure[mnrs]?)\b)"
     r"|avant(?:\s+(?:que|de))?|antes\s+de(?:\s+que)?(?!\w)",
     "[之以]前|(?:の|する|した|る)?前(?=[にのはも、])"),
    ("after",
     r"after|nachdem|nach(?=\s+(?:de[mnr]|der|(?:m|d|s)?ein\w*|ihre[mnrs]?|unser\w*|eure[mnrs]?)\b)"
     r"|après(?:\s+que)?|después\s+de(?:\s+que)?(?!\w)",
     "[之以][后後]|(?:の|した|た)?(?:後|あと)(?=[にのはも、])"),
    ("since", r"ever\s+since|since|seitdem|seit|depuis(?:\s+que)?|desde(?:\s+que)?", "以来|以來|(?:して|て)から"),
    ("until", r"until|till|bis\s+(?:zu[mr])|jusqu['’](?:à|au)(?:\s+ce\s+que)?|hasta(?:\s+que)?", "まで|为止|為止"),
    ("during",
     # "When" asks at the beginning, unless a clause follows; German "als" is "than" too.
     rf"while|during|während|pendant(?:\s+que)?|lorsque?|durante|mientras|(?<=\S\s)(?:when|quand|cuando)|{_CLAUSE}when"
     rf"|{_CLAUSE}quand|{_CLAUSE}cuando|(?<=^|,\s)als",
     "的?时候|的?時候|期间|期間|(?:の|た|る)?(?:間|とき|時)(?=[にのはも、])"),
)  # fmt: skip
_AHEAD = regex.compile(
    "|".join(rf"(?P<{name}>(?<![\w'’-])(?:{words})(?![\w-]))" for name, words, _ in _RELATIONS), regex.IGNORECASE
)
_BEHIND = regex.compile("|".join(rf"(?P<{name}>{words})" for name, _, words in _RELATIONS))
# Where a phrase ends: at a mark, or where the question begins that it stands before.
_END = regex.compile(
    r"[,.;:!?()\"“”«»、，。；：？！\n]|(?<=\s)(?:what|who|whom|where|which|how|why|did|does|do|is|are|was|were|has|had|can|and\s+then"
    r"|was|wer|wen|wem|wo|wohin|welche[nrsm]?|wie|warum|hat|hast|habe|ist|sind|waren?|qu['’]|quel(?:le)?s?|où|comment|qui|que"
    r"|qué|quién(?:es)?|dónde|cómo|cuáles?)(?!\w)",
    regex.IGNORECASE,
)
_DENSE = r"\p{Han}\p{Hiragana}\p{Katakana}"
# A German preposition governs no more than its noun, which is written with a capital; a clause may follow the others.
_GERMAN = frozenset(("vor", "nach", "seit", "während"))
_GERMAN_NOUN = regex.compile(r"\s+(?:\p{Ll}+\s+){0,3}\p{Lu}[\w-]*")
# What a phrase begins with and its event is not told by.
_DETERMINER = regex.compile(
    r"^(?:(?:the|an?|my|our|his|her|their|your|de[mnrs]|die|das|(?:[mds]|k)?ein\w*|unse?re?\w*|ihre?\w*|les?|la|une?|mon|ma"
    r"|mes|notre|nos|son|sa|ses|leurs?|el|los|las|una|mis?|sus?|nuestr[oa]s?)\s+|l['’])",
    regex.IGNORECASE,
)
_MARK = regex.compile(r"[,.;:!?()\"“”«»、，。；：？！\n]")
# What a phrase must be more than: words that stand for an event named elsewhere, or for no event.
_EMPTY = frozenset(
    "that this it then now all they them the a an i you he she we das dem der die es dann jetzt cela ça ce eso esto "
    "ello or after before long when soon ever last next first".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """An event that stands for a time."""

    relation: AnchorRelation  # how the time that is meant lies to the event's
    phrase: str  # its words in the question


def find_anchors(text: str, spans: Sequence[tuple[int, int]]) -> tuple[Anchor, ...]:
    """Find the events that a question names a time by.

    Args:
        text: a question.
        spans: (start, end) of the times that it names by date, with their prepositions; what has one in it needs no
            event.

    Returns:
        At most 2, in order; a phrase that is nothing but "that" or "it" is none.
    """
    found = [one for one in (*_latin(text, spans), *_dense(text, spans)) if _names_something(one.phrase)]
    return tuple(dict.fromkeys(found))[:MOST_ANCHORS]


def _latin(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[Anchor]:
    done = 0
    for match in _AHEAD.finditer(text):
        if match.start() < done:
            continue
        start = match.end()
        leading = not text[: match.start()].strip()
        noun = _GERMAN_NOUN.match(text, start) if match[0].casefold() in _GERMAN else None
        end = noun.end() if noun else _phrase_end(text, start, leading=leading)
        if not any(start < after and first < end for first, after in spans):
            yield _anchor(match, text[start:end])
            done = end


def _phrase_end(text: str, start: int, *, leading: bool) -> int:
    """Return where the phrase ends: a clause at the start of the question ends where the question proper begins."""
    pattern = _END if leading and "," not in text[start:] else _MARK
    found = pattern.search(text, start)
    return found.start() if found else len(text)


def _dense(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[Anchor]:
    for match in _BEHIND.finditer(text):
        before = _MARK.split(text[: match.start()])[-1]
        start = match.start() - len(before)
        if regex.search(rf"[{_DENSE}]", before) and not any(
            start < after and first < match.end() for first, after in spans
        ):
            yield _anchor(match, before)


def _anchor(match: regex.Match[str], phrase: str) -> Anchor:
    relation = next(name for name, _, _ in _RELATIONS if match[name] is not None)
    return Anchor(relation=relation, phrase=_DETERMINER.sub("", " ".join(phrase.split())))


def _names_something(phrase: str) -> bool:
    words = [word for word in regex.findall(r"\w+", phrase.casefold()) if word not in _EMPTY]
    return len(phrase) <= _LONGEST and any(len(word) > 2 or regex.search(rf"[{_DENSE}]", word) for word in words)

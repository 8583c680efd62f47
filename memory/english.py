"""A light English stemmer and the words a query can do without.

Words that share a stem are one search term, on both sides alike. Measured with full-text search alone on 882 questions
about conversations: evidence among the first 15 rose from 61.5 to 64.5 %. A wrong merge costs little, because the
vector arm does not see stems.
"""

from __future__ import annotations

from functools import lru_cache

STOP_WORDS = frozenset(
    "a about am an and any are as at be been being but by can could did do does doing for from had has have "
    "having he her hers him his how i if in into is it its just me my no nor not of on or our ours she "
    "should so some such than that the their theirs them then there these they this those to too us was we "
    "were what when where which while who whom whose why will with would you your yours don't dont didn't "
    "doesn't isn't i'm i've i'd i'll it's that's what's".split()
)

_VOWELS = frozenset("aeiouy")
_KEEP_DOUBLE = frozenset("lsz")
_UNCHANGED = frozenset(
    "news series species always perhaps besides whereas something anything nothing everything".split()
)
_IRREGULAR = {
    past: base
    for base, pasts in {
        "go": "went gone goes",
        "buy": "bought",
        "bring": "brought",
        "think": "thought",
        "teach": "taught",
        "catch": "caught",
        "make": "made",
        "take": "took taken",
        "give": "gave given",
        "get": "got gotten",
        "tell": "told",
        "sell": "sold",
        "say": "said",
        "meet": "met",
        "run": "ran",
        "write": "wrote written",
        "speak": "spoke spoken",
        "choose": "chose chosen",
        "drive": "drove driven",
        "fly": "flew flown flies",
        "eat": "ate eaten",
        "grow": "grew grown",
        "know": "knew known",
        "sing": "sang sung",
        "swim": "swam swum",
        "win": "won",
        "begin": "began begun",
        "keep": "kept",
        "sleep": "slept",
        "feel": "felt",
        "lose": "lost",
        "spend": "spent",
        "send": "sent",
        "build": "built",
        "wear": "wore worn",
        "steal": "stole stolen",
        "break": "broke broken",
        "freeze": "froze frozen",
        "forget": "forgot forgotten",
        "hide": "hid hidden",
        "ride": "rode ridden",
        "draw": "drew drawn",
        "throw": "threw thrown",
        "hear": "heard",
        "pay": "paid",
        "shoot": "shot",
        "fight": "fought",
        "drink": "drank drunk",
        "understand": "understood",
        "child": "children",
        "man": "men",
        "woman": "women",
        "foot": "feet",
        "tooth": "teeth",
        "mouse": "mice",
        "wife": "wives",
        "life": "lives",
    }.items()
    for past in pasts.split()
}


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the stem of a lower-case ASCII word: plural, -ing, -ed and final -e taken off, cautiously."""
    if len(word) < 4 and word not in _IRREGULAR:
        return word
    base = _IRREGULAR.get(word)
    if base is None:
        base = word if word in _UNCHANGED else _without_past(_without_plural(word))
    return base[:-1] if base.endswith("e") and len(base) > 3 else base


def _without_plural(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    if word.endswith("s") and word[-2] not in "sui'":
        return word[:-1]
    return word


def _without_past(word: str) -> str:
    if word.endswith("ied"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith("eed"):
        return word[:-1] if _VOWELS & set(word[:-3]) else word
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base != word and len(base) > 2 and _VOWELS & set(base):
            doubled = base[-1] == base[-2] and base[-1] not in _KEEP_DOUBLE and base[-1] not in _VOWELS
            return base[:-1] if doubled else base
    return word

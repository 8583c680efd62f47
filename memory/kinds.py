"""Sorts statements into facts, preferences and episodes by simple cues; facts are what is left."""

from __future__ import annotations

import regex

from memory.records import MemoryKind

_PREFERENCE = regex.compile(
    r"\b(?:i|we|you|he|she|they|[A-Z]\w+)\s+(?:(?:really|also|just|absolutely|still|do|don't|doesn't|would|'d)\s+){0,2}"
    r"(?:like|likes|love|loves|loved|prefer|prefers|enjoy|enjoys|hate|hates|dislike|dislikes|adore|adores)\b"
    r"|\bfavou?rites?\b|\bprefers?\b|\bcan't stand\b|\bfan of\b|\bfond of\b|\ballergic to\b|\brather than\b"
    r"|\bplease (?:always|never)\b|\b(?:always|never) (?:use|call|send|write|answer|reply)\b"
    r"|\b(?:ich|wir) (?:mag|mögen|liebe|bevorzuge|hasse)\b|\blieber\b|\bj'(?:aime|adore)\b|\bje (?:préfère|déteste)\b"
    r"|\bme (?:gusta|encanta)n?\b|\bprefiero\b|喜欢|喜歡|讨厌|好きです|好き|嫌い|좋아|싫어|люблю|нравится|предпочитаю",
    regex.IGNORECASE,
)
_WHEN = (
    r"yesterday|today|tonight|last (?:week|month|year|night|weekend|spring|summer|autumn|fall|winter|\w+day)"
    r"|this (?:morning|afternoon|evening|week|weekend)|\w+ (?:days?|weeks?|months?|years?) ago"
    r"|(?:on|in) (?:the )?\d{1,4}|recently|just|finally|the other day"
    r"|gestern|letzte[nrs]? \w+|hier|ayer|la semana pasada|вчера"
)
_PAST = (
    r"\w{2,}ed|went|got|saw|met|took|made|had|bought|came|ran|won|lost|found|gave|told|said|wrote|read|began|flew|drove|"
    r"was|were|felt|left|started|hatte|war|ging|bin|habe|suis|ai|fui|fue|hice"
)
_EPISODE = regex.compile(
    rf"\b(?:{_WHEN})\b.*?\b(?:{_PAST})\b|\b(?:{_PAST})\b.*?\b(?:{_WHEN})\b"
    r"|昨天|昨日|上周|어제",
    regex.IGNORECASE,
)
# Cues stand near the start; reading more would not be worth its time.
_READ_CHARS = 400


def kind_of(text: str) -> MemoryKind:
    """Return the kind of a statement.

    Args:
        text: one statement; the first 400 characters are read.

    Returns:
        "preference" for likes and standing wishes, "episode" for a past event with a time, else "fact".
    """
    head = text[:_READ_CHARS].replace("’", "'")
    if _PREFERENCE.search(head):
        return "preference"
    return "episode" if _EPISODE.search(head) else "fact"

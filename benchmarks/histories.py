"""Histories of facts, made from a seed: things that are known, and new facts about them, of which some touch."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

_SYLLABLES = (
    "ba",
    "dru",
    "fel",
    "gor",
    "hin",
    "jas",
    "kel",
    "lom",
    "mur",
    "nev",
    "pol",
    "rit",
    "sul",
    "tav",
    "vek",
    "zor",
)
_WORDS = 6
# Facts that touch are near each other in time: both may be under judgement at once.
_BACK = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What is known, and what is said then."""

    known: Sequence[str]
    said: Sequence[str]


def history(*, seed: int, count: int, touching: float) -> History:
    """Make a history in which every new fact is near to something known.

    Args:
        seed: of the random choices.
        count: new facts.
        touching: share of the new facts that are about the same thing as one of the 16 before them, 0..1. The others
            are about a thing of their own.

    Returns:
        A known fact for each thing, and the new facts. Facts about one thing share five of six words, and facts about
        two things none, so that by a bag of words they are near, and not near.
    """
    choose = random.Random(seed)
    things: list[list[str]] = []
    about: list[int] = []
    for _ in range(count):
        if about and choose.random() < touching:
            about.append(choose.choice(about[-_BACK:]))
            continue
        about.append(len(things))
        things.append([_word(choose) for _ in range(_WORDS)])
    said = [" ".join([*things[thing][:-1], _word(choose)]) for thing in about]
    return History(known=[_sentence(" ".join(words)) for words in things], said=[_sentence(text) for text in said])


def _word(choose: random.Random) -> str:
    return "".join(choose.choice(_SYLLABLES) for _ in range(4))


def _sentence(text: str) -> str:
    return f"{text.capitalize()}."

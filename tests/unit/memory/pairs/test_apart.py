"""Statements about two people, things or times, which look alike, are never taken for one fact or for a change."""

import json
from pathlib import Path

import pytest

from memory.judging import Pair
from memory.pairs.rules import could_replace, judge_pair

DATA = Path(__file__).parents[3] / "data" / "pairs_apart.json"
PAIRS = json.loads(DATA.read_text(encoding="utf-8"))
SUBJECTS = [one for one in PAIRS if one["kind"] in ("people", "subjects")]


def named(one):
    return f"{one['lang']}-{one['old']}-{one['new']}"


@pytest.mark.parametrize("similarity", [0.7, 0.85, 0.95])
@pytest.mark.parametrize("one", PAIRS, ids=named)
def test_what_only_looks_alike_is_distinct_in_either_order(one, similarity):
    forth = judge_pair(Pair(old=one["old"], new=one["new"], similarity=similarity))
    back = judge_pair(Pair(old=one["new"], new=one["old"], similarity=similarity))

    assert (forth.verdict, back.verdict) == ("distinct", "distinct")


@pytest.mark.parametrize("one", SUBJECTS, ids=named)
def test_another_subject_replaces_nothing(one):
    assert not could_replace(one["old"], one["new"], same_speaker=True)
    assert not could_replace(one["new"], one["old"], same_speaker=True)

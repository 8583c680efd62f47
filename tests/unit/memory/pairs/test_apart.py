"""Statements about two people, things or times, which look alike, are never taken for one fact or for a change."""

import json
from pathlib import Path

import pytest

from memory.judging import Pair
from memory.pairs.rules import could_replace, judge_pair

DATA = Path(__file__).parents[3] / "data" / "pairs_apart.json"
PAIRS = json.loads(DATA.read_text(encoding="utf-8"))
KINDS = sorted({one["kind"] for one in PAIRS})


def of_kind(kind):
    """Return the pairs of a kind, each in both orders."""
    found = [one for one in PAIRS if one["kind"] == kind]
    return [order for one in found for order in ((one["old"], one["new"]), (one["new"], one["old"]))]


@pytest.mark.parametrize("kind", KINDS)
def test_what_only_looks_alike_is_distinct_in_either_order(kind):
    # As similar as can be: to be less similar only makes a pair more distinct.
    wrong = [
        (old, new, judged.verdict)
        for old, new in of_kind(kind)
        if (judged := judge_pair(Pair(old=old, new=new, similarity=1.0))).verdict != "distinct"
    ]

    assert wrong == []


@pytest.mark.parametrize("kind", ["people", "subjects"])
def test_another_subject_replaces_nothing(kind):
    assert [pair for pair in of_kind(kind) if could_replace(*pair, same_speaker=True)] == []

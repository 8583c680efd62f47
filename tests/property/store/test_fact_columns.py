"""Columns say of all rows at once what `memory.filters.matches` says of each."""

import json
import random
from typing import Any

import numpy as np
import pytest

from memory import filters
from store.fact_columns import FactColumns
from store.segment_rows import read_facts

KEYS = ("team", "kind", "n", "tags", "a.b", "", "__proto__", "confidence", "🎩", "gone")
TEXTS = (
    "north", "North", "NORTH", "nor", "th", "", " ", "5", "5.0", "+5", "1e3", "true", "True", "nan", "inf", "-0", "0",
    "e", "Straße", "STRASSE", "İstanbul", "i̇stanbul", "ﬁn", "fin", "日本", "本", "日", "😀a", "٣", "1_0", "no\0rth",
    "\ud83d", "100000000000000000000", "5 ",
)  # fmt: skip
NUMBERS = (0, 5, -5, 5.0, 5.5, 1000, 1e3, 10, -0.0, 3, 2**53, 1e300, 1e22, 10**22, True, False)
OTHERS = (None, {}, {"a": 1}, [], [None], [5, "5", True], [["north"]], [{"a": "north"}])
CASES = 10_000
ROWS = 12


def value(draw: random.Random) -> Any:
    kind = draw.randrange(10)
    if kind < 4:
        return draw.choice(TEXTS)
    if kind < 6:
        return draw.choice(NUMBERS)
    if kind < 8:
        return [draw.choice(TEXTS) for _ in range(draw.randrange(4))]
    return draw.choice(OTHERS)


def metadata(draw: random.Random) -> str:
    return json.dumps({draw.choice(KEYS): value(draw) for _ in range(draw.randrange(5))})


def own(draw: random.Random) -> str:
    if draw.random() < 0.3:
        return json.dumps({"kind": "chunk", "title": draw.choice(TEXTS)})
    facts = {"kind": draw.choice(("fact", "preference", "episode")), "confidence": draw.choice((0, 0.5, 0.7, 1))}
    return json.dumps({**facts, "speaker": draw.choice((None, "north")), "isStatic": draw.random() < 0.5, "n": 5})


def condition(draw: random.Random) -> dict[str, Any]:
    kind = draw.choice(("metadata", "numeric", "array_contains", "string_contains"))
    wanted = draw.choice((*TEXTS[1:], *NUMBERS, ""))
    if kind == "numeric" and filters.as_number(wanted) is None:
        wanted = draw.choice((5, "5", "-0", 1e3, 5.5))
    return {
        "key": draw.choice([one for one in KEYS if one]), "value": wanted, "filterType": kind,
        "numericOperator": draw.choice((">", "<", ">=", "<=", "=")), "negate": draw.random() < 0.3,
        "ignoreCase": draw.random() < 0.5,
    }  # fmt: skip


def grown(draw: random.Random, depth: int = 0) -> dict[str, Any]:
    if depth == 3 or draw.random() < 0.6:
        return condition(draw)
    joint = draw.choice(("AND", "OR"))
    return {joint: [grown(draw, depth + 1) for _ in range(draw.randrange(joint == "OR", 4))]}


@pytest.mark.parametrize("seed", range(10))
def test_columns_pass_what_matches_passes(seed):
    draw, cases = random.Random(seed), 0
    while cases < CASES / 10:
        # given rows of any metadata, some of which are added, and described anew, later
        columns, facts = FactColumns.empty(), {}
        for _ in range(draw.randrange(1, 7)):
            count = len(facts) + draw.randrange(1, ROWS)
            changed = {*range(len(facts), count), *(draw.randrange(count) for _ in range(draw.randrange(4)))}
            rows = [(slot, own(draw), metadata(draw)) for slot in draw.sample(sorted(changed), len(changed))]
            facts |= {slot: (said, sent) for slot, said, sent in rows}
            columns = columns.with_rows(count, rows)
        read = [read_facts(*facts[slot]) for slot in sorted(facts)]
        for _ in range(25):
            # when they are filtered
            sent = grown(draw)
            parsed = filters.parse(sent)
            passed = columns.passing(parsed).tolist()
            # then each row passes as it does by itself
            assert passed == [filters.matches(parsed, one) for one in read], (sent, read)
            cases += 1
        said = [json.loads(facts[slot][0]) for slot in sorted(facts)]
        for least in (0.0, 0.5, 0.7, 1.0):
            assert columns.at_least(least).tolist() == [one.get("confidence", 1) >= least for one in said]
        for kinds in ({"fact"}, {"preference", "episode"}):
            assert columns.of_kinds(kinds).tolist() == [one["kind"] in kinds for one in said]


def test_what_is_held_does_not_change_when_rows_are_described_anew():
    first = FactColumns.empty().with_rows(1, [(0, '{"kind": "fact", "confidence": 1}', '{"a": "b"}')])
    asked = filters.parse({"key": "a", "value": "b"})
    second = first.with_rows(2, [(0, '{"kind": "fact", "confidence": 0}', "{}"), (1, '{"kind": "chunk"}', "{}")])
    assert (first.passing(asked).tolist(), second.passing(asked).tolist()) == ([True], [False, False])
    assert (first.at_least(0.5).tolist(), second.at_least(0.5).tolist()) == ([True], [False, True])


def test_facts_that_are_overwritten_again_and_again_take_no_more_memory():
    columns, sizes = FactColumns.empty(), []
    for turn in range(400):
        columns = columns.with_rows(10, [(turn % 10, '{"kind": "fact", "confidence": 1}', f'{{"n": {turn}}}')])
        sizes.append(columns.nbytes)
    assert max(sizes[200:]) < 2 * max(sizes[20:60])
    assert len(columns.blocks) < 10


def test_rows_of_which_nothing_is_known_pass_no_filter():
    columns = FactColumns.empty().with_rows(3, [(1, '{"kind": "fact", "confidence": 1}', "{}")])
    assert columns.passing(filters.parse({"key": "a", "value": "b", "negate": True})).tolist() == [False, True, False]
    np.testing.assert_array_equal(columns.of_kinds(["fact"]), [False, True, False])

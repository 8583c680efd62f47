"""Rules that rewrite a text: a hint only saves the search for a pattern, and changes nothing that is found."""

import json
from pathlib import Path

import pytest

from memory.pairs import phrases, quantity_spellings, reordered, same
from memory.pairs.rewriting import rewritten, rules
from memory.statements import normalised

DATA = Path(__file__).parents[3] / "data"
TEXTS = sorted(
    {
        normalised(one[side])
        for name in ("pairs_apart", "pairs_not_the_same")
        for one in json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
        for side in ("old", "new")
    }
)


def searched(text, by):
    """Return a text to which every rule was applied, whatever its hints."""
    for rule in by:
        text = rule.pattern.sub(rule.new, text)
    return text


@pytest.mark.parametrize(
    "by",
    [phrases._RULES, quantity_spellings._RULES, reordered._RULES, same._REWRITTEN],
    ids=["phrases", "spellings", "reordered", "same"],
)
def test_no_rule_is_passed_over_that_would_match(by):
    wrong = [text for text in TEXTS if rewritten(text, by) != searched(text, by)]

    assert wrong == []


def test_rules_apply_one_after_the_other():
    by = rules([("b", "b", "c"), ("c|d", "[cd]", "e")])

    assert rewritten("abd", by) == "aee"
    assert rewritten("x", by) == "x"

"""The glossary names the words the project is built from; module names, tables and JSON use these and no synonyms."""

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "glossary.md").read_text(encoding="utf-8")
ENTRIES = {
    word.strip()
    for left in re.findall(r"^\| ([^|]+?) \|", PAGE, re.MULTILINE)
    for word in re.sub(r"[*`]", "", left).split("/")
}
WORDS = """tenant, space, scope, actor, document, chunk, episode, session, memory, version chain, candidate, judge,
decision, verdict, reconcile, conflict, review, incumbent, label, relation, entity, edge, community, dream, skill,
scratchpad, node, card, lane, job, work item""".replace("\n", " ").split(", ")


@pytest.mark.parametrize("word", WORDS)
def test_word_is_in_the_glossary(word):
    assert word in ENTRIES, f"Add a row for `{word}` to docs/glossary.md."

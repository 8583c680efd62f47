"""Untitled documents: what they are called, and what their memories say of who said it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from memory.records import SearchQuery
from services.search import search
from services.titles import TITLE_CHARS, title_of
from tests.pipeline import HOME, Pipeline
from tests.unit.services.test_extracting import done, fact, facts

SENTENCE = re.compile(r"The crane [^.]*\.")


def stated(payload):
    """Return the sentences of the document that a model is asked about."""
    return SENTENCE.findall(payload["messages"][-1]["content"].partition("<document")[2])


def memories(pipeline):
    return sorted(hit.text for hit in search(HOME, pipeline.host, SearchQuery(q="crane", limit=50)).hits)


@pytest.fixture(params=["rules", "model"])
def either(request, tmp_path):
    made = Pipeline(tmp_path)
    if request.param == "model":
        made.host = replace(made.host, settings=replace(made.host.settings, llm_url="http://127.0.0.1:1"))
        made.write = lambda payload: done(facts(*map(fact, stated(payload))))
    return made


def test_the_memory_of_a_short_text_does_not_say_it_twice(either):
    either.add("The crane lifts 55 kg.")

    assert memories(either) == ["The crane lifts 55 kg."]


def test_later_statements_still_tell_what_the_text_is_about(either):
    either.add("The crane lifts 55 kg. The crane is yellow.\n\nThe crane stands at berth four.")

    assert memories(either) == [
        "The crane is yellow.",
        "The crane lifts 55 kg.",
        "The crane lifts 55 kg. The crane is yellow.: The crane stands at berth four.",
    ]


def test_a_heading_is_a_name(either):
    either.add("# Crane 4\n\nThe crane lifts 55 kg.")

    assert memories(either) == ["Crane 4: The crane lifts 55 kg."]


def test_a_title_is_the_first_heading_or_the_beginning_of_the_first_line():
    assert title_of([(), ("Crane", "Loads")], "x\n# Crane") == "Crane"
    assert title_of([()], f"\n  {'crane ' * 40}\nmore") == ("crane " * 40)[:TITLE_CHARS]
    assert title_of([], " \n") is None

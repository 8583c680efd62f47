import pytest

from memory.answering import NOTHING_FOUND
from memory.recalled import RECALLED_OPEN, own_spans
from memory.records import Scope, SearchQuery
from services.ask import ask
from tests.rows import put_conversation, put_document, put_memories, searching_host

SCOPE = Scope(tenant="default", spaces=("home",))


@pytest.fixture
def host(tmp_path):
    return searching_host(tmp_path)


@pytest.fixture
def filled(host):
    messages = ["Bob moved to Oslo in May.", "We had soup and bread and a long talk about nothing at all."]
    episodes = put_conversation(host, "home", "chat", messages)
    put_memories(host, "home", [messages[0]], speaker="Ann", episode=episodes[0])
    put_document(host, "home", "doc_1", ["Oslo lies on a fjord. The harbour is deep."], title="Norway")
    return host


def test_an_answer_quotes_what_fits_best_and_cites_it(filled):
    answer = ask(SCOPE, filled, SearchQuery(q="When did Bob move to Oslo?"))
    assert answer.answer.startswith("Ann: Bob moved to Oslo in May. [1]")
    assert answer.citations[0].sources[0].message_index == 0
    assert answer.model == "extractive"
    assert answer.degraded == ()


def test_every_number_in_an_answer_is_a_citation(filled):
    answer = ask(SCOPE, filled, SearchQuery(q="Oslo fjord harbour deep"))
    numbers = {one.n for one in answer.citations}
    assert numbers == set(range(1, len(numbers) + 1))
    assert {int(part.split("]")[0]) for part in answer.answer.split("[")[1:]} <= numbers


def test_context_is_fenced_and_counted_against_its_whole_sources(filled):
    answer = ask(SCOPE, filled, SearchQuery(q="When did Bob move to Oslo?", limit=1))
    assert answer.context.startswith(RECALLED_OPEN)
    assert own_spans(answer.context) == []
    assert answer.context_tokens == len(answer.context.split())
    assert answer.source_tokens == 19


def test_nothing_relevant_is_said_and_nothing_is_cited(filled):
    answer = ask(SCOPE, filled, SearchQuery(q="quantum chromodynamics lattice"))
    assert answer.answer == NOTHING_FOUND
    assert answer.citations == ()
    assert answer.context == ""


def test_an_empty_space_has_no_answer(host):
    assert ask(SCOPE, host, SearchQuery(q="anything")).answer == NOTHING_FOUND


def test_an_answer_without_models_says_what_is_missing(filled):
    filled.models.embedder_down = filled.models.reranker_down = True
    answer = ask(SCOPE, filled, SearchQuery(q="Bob moved Oslo May"))
    assert "Bob moved to Oslo" in answer.answer
    assert len(answer.degraded) == 3


def test_code_headings_and_the_question_itself_are_not_quoted(host):
    body = """## Kitchen

```
memlane ask "What must I not cook for Ana?"
```

What must I not cook for Ana?

* Ana must `not` eat nuts, so **cook** without them.
"""
    put_document(host, "home", "doc_2", [body])
    assert (
        ask(SCOPE, host, SearchQuery(q="What must I not cook for Ana?")).answer
        == "Ana must not eat nuts, so cook without them. [1]"
    )


def test_evidence_that_is_all_code_is_quoted_all_the_same(host):
    put_document(host, "home", "doc_2", ["```\nmemlane keys revoke\n```"])
    assert "memlane keys revoke" in ask(SCOPE, host, SearchQuery(q="memlane keys revoke")).answer


def test_a_short_message_is_quoted_whole(host):
    said = "We order our flour from Molen. The order is 400 kg every Monday."
    episodes = put_conversation(host, "home", "chat", [said])
    put_memories(host, "home", [said], speaker="Ines", episode=episodes[0])
    assert ask(SCOPE, host, SearchQuery(q="How much flour do we order from Molen?")).answer == f"Ines: {said} [1]"

import pytest

from memory import filters
from memory.errors import StateConflict
from memory.records import SearchQuery
from services import documents, jobs, memories
from services.search import search
from tests.pipeline import HOME, PERSON

FIRST = "# Lift\n\nThe limit is 40 kg.\n\nThe lift stands in hall 3.\n"
SECOND = "# Lift\n\nThe limit is 55 kg.\n\nThe lift stands in hall 3.\n"
THIRD = "# Lift\n\nThe limit is 70 kg.\n\nThe doors are painted green.\n"


def statements(pipeline):
    return sorted(one.statement for one in memories.listing(HOME, pipeline.host, limit=50).rows)


def chunks_found(pipeline, q="limit", **options):
    hits = search(HOME, pipeline.host, SearchQuery(q=q, mode="documents", **options)).hits
    return " ".join(hit.text for hit in hits)


def test_a_revision_switches_at_once_and_what_it_no_longer_says_retires_with_a_reason(pipeline):
    pipeline.add(FIRST, custom_id="lift")
    # when the next edition is sent, but not yet embedded
    pipeline.held = lambda message: message.task == "embed.texts"
    pipeline.add(THIRD, custom_id="lift")
    # then the old one serves
    assert "40 kg" in chunks_found(pipeline)
    assert "70 kg" not in chunks_found(pipeline)
    # when it is, then the new one alone does
    pipeline.held = lambda message: False
    pipeline.settle()
    assert "40 kg" not in chunks_found(pipeline)
    assert statements(pipeline) == ["The doors are painted green.", "The limit is 70 kg."]
    retired = pipeline.rows(
        """
        SELECT statement, reason, retired_kind FROM memory JOIN validity ON validity.row_id = memory.row_id
        WHERE retired_at IS NOT NULL ORDER BY statement
        """
    )
    assert [(text, kind) for text, _, kind in retired] == [
        ("The lift stands in hall 3.", "pipeline"), ("The limit is 40 kg.", "pipeline"),
    ]  # fmt: skip
    assert "no longer said" in retired[0][1]
    assert "superseded by mem_" in retired[1][1]


def test_a_revision_that_was_overtaken_takes_nothing_from_the_newer_one(pipeline):
    pipeline.add(FIRST, custom_id="lift")
    # given a second edition that is found, but whose facts are still being looked for
    pipeline.held = lambda message: message.task == "extract.group"
    second = pipeline.add(SECOND, custom_id="lift")
    late = [message for message in pipeline.queue.waiting if message.task == "extract.group"]
    assert "55 kg" in chunks_found(pipeline)
    # when the third is done before it
    pipeline.held = lambda message: message in late
    assert pipeline.job(pipeline.add(THIRD, custom_id="lift")).state == "done"
    pipeline.held = lambda message: False
    pipeline.settle()
    # then what the third says stays, and the second's candidates were dropped
    assert pipeline.job(second).state == "done"
    assert statements(pipeline) == ["The doors are painted green.", "The limit is 70 kg."]
    assert pipeline.rows(
        "SELECT DISTINCT outcome, outcome_reason FROM candidate WHERE job_id = ?", second.job_id
    ) == [("dropped", "the document was revised")]  # fmt: skip


def test_an_overtaken_job_does_not_say_that_the_newer_revision_is_done(pipeline):
    pipeline.add(FIRST, custom_id="lift")
    pipeline.held = lambda message: message.task == "extract.group"
    second = pipeline.add(SECOND, custom_id="lift")
    # given a third edition that nobody has looked at yet
    pipeline.held = lambda message: message.task == "document.prepare"
    third = pipeline.add(THIRD, custom_id="lift")
    # then the end of the second's job is not the end of the document
    assert pipeline.job(second).state == "done"
    assert documents.get(HOME, pipeline.host, third.id).status == "queued"


def test_a_retired_source_is_still_named_by_the_fact_that_rested_on_it(pipeline):
    sent = pipeline.add(FIRST, custom_id="lift")
    (old,) = [one for one in memories.listing(HOME, pipeline.host, limit=50).rows if "40" in one.statement]
    pipeline.add(SECOND, custom_id="lift")
    (source,) = memories.get(HOME, pipeline.host, old.id).sources
    assert (source.document_id, source.revision) == (sent.id, 1)


def test_new_metadata_is_what_filters_see_of_unchanged_chunks(pipeline):
    def tagged(value):
        return chunks_found(
            pipeline, q="hall", filters=filters.parse({"AND": [{"key": "team", "value": value}]}), limit=5
        )

    pipeline.add(FIRST, custom_id="lift", metadata={"team": "north"})
    assert "hall 3" in tagged("north")
    pipeline.add(FIRST + "\n# Stairs\n\nThe stairs are wet.\n", custom_id="lift", metadata={"team": "south"})
    assert tagged("north") == ""
    assert "hall 3" in tagged("south")


def test_a_cancelled_job_keeps_what_is_committed_and_says_how_much(pipeline):
    pipeline.held = lambda message: message.task == "embed.texts" and len(message.payload["texts"]) > 1
    sent = pipeline.add(FIRST)
    assert "40 kg" in chunks_found(pipeline)
    # when it is cancelled while its facts are out
    cancelled = jobs.cancel(HOME, pipeline.host, PERSON, sent.job_id)
    pipeline.held = lambda message: False
    pipeline.settle()
    # then the late facts are dropped, the chunks stay, and both say so
    assert "of 4 work items were done and are kept" in cancelled.reason
    assert statements(pipeline) == []
    assert "40 kg" in chunks_found(pipeline)
    document = documents.get(HOME, pipeline.host, sent.id)
    assert (document.status, "Facts are missing" in document.warning) == ("done", True)
    with pytest.raises(StateConflict):
        jobs.retry(HOME, pipeline.host, PERSON, sent.job_id)


def test_a_title_read_off_the_text_follows_the_text_and_a_title_that_was_sent_stays(pipeline):
    read = pipeline.add("# Draft of May\n\nThe limit is 40 kg.\n", custom_id="read")
    sent = pipeline.add("# Draft of May\n\nThe load is 40 kg.\n", custom_id="sent", title="Lift book")
    # when a revision is overtaken before it is searched, it names nothing
    pipeline.held = lambda message: message.task == "embed.texts"
    pipeline.add("# Draft of June\n\nThe limit is 45 kg.\n", custom_id="read")
    assert documents.get(HOME, pipeline.host, read.id).title == "Draft of May"
    pipeline.add("# Final\n\nThe limit is 55 kg.\n", custom_id="read")
    pipeline.add("# Final\n\nThe load is 55 kg.\n", custom_id="sent")
    pipeline.held = lambda message: False
    pipeline.settle()
    titles = [documents.get(HOME, pipeline.host, one.id).title for one in (read, sent)]
    assert titles == ["Final", "Lift book"]

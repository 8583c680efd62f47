from api import render, render_search
from memory.records import (
    FOREVER,
    Accepted,
    Actor,
    Answer,
    Citation,
    Compressed,
    Forgetting,
    Hit,
    Job,
    Match,
    Memory,
    Page,
    SearchAnswer,
    Source,
    Window,
)

AT = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z
HOUR = 3_600_000_000
ANA = Actor(kind="person", id="local")
TOLD = Source(kind="episode", id="ep_1", conversation_id="c-1", message_index=0, quote="I moved to Oslo.", said_at=AT)


def window(**changes):
    fields = {"valid_from": AT, "valid_to": FOREVER, "recorded_at": AT, "retired_at": None, "actor": ANA}
    return Window(**{**fields, **changes})


def memory(**changes):
    fields = {
        "id": "mem_2", "space": "a", "root_id": "mem_1", "parent_id": "mem_1", "version": 2,
        "statement": "Ana lives in Oslo.", "speaker": None, "said_at": None, "said_zone": None, "kind": "fact",
        "confidence": 0.9, "support": 2, "is_static": False, "is_latest": True, "is_forgotten": False,
        "forget_reason": None, "metadata": {"camelMe_not": 1}, "actor": ANA, "recorded_at": AT, "updated_at": AT,
        "windows": (window(),), "sources": (TOLD,),
    }  # fmt: skip
    return Memory(**{**fields, **changes})


def hit(**changes):
    fields = {
        "id": "mem_2", "kind": "memory", "text": "Ana lives in Oslo.", "similarity": 0.8, "score": 0.8, "metadata": {},
        "updated_at": AT, "space": "a", "memory": memory(), "sources": (TOLD,), "explain": {"vectors": 0.7},
    }  # fmt: skip
    return Hit(**{**fields, **changes})


def test_memory_has_supermemorys_words_in_v4_and_ours_in_v1():
    v4, v1 = render.memory_entry(memory()), render.memory(memory())

    assert (v4["parentMemoryId"], v4["rootMemoryId"], v4["isLatest"], v4["sourceCount"]) == ("mem_1", "mem_1", True, 2)
    assert (v1["parent_id"], v1["root_id"], v1["is_latest"], v1["support"]) == ("mem_1", "mem_1", True, 2)
    assert v4["sources"][0]["messageIndex"] == v1["sources"][0]["message_index"] == 0
    assert v4["metadata"] == v1["metadata"] == {"camelMe_not": 1}


def test_open_end_of_a_window_is_null_and_a_closed_one_a_time():
    closed = window(valid_to=AT + HOUR, retired_at=None)

    assert render.window(window())["valid_to"] is None
    assert render.window(closed)["valid_to"] == "2026-01-01T01:00:00Z"
    assert render.memory(memory(windows=(closed,)))["valid_to"] == "2026-01-01T01:00:00Z"


def test_retired_window_does_not_say_when_a_memory_holds():
    gone = window(valid_from=AT - HOUR, retired_at=AT, reason="changed", retired_by=ANA)

    assert render.memory(memory(windows=(gone, window())))["valid_from"] == "2026-01-01T00:00:00Z"
    assert render.window(gone)["retired_by"] == {"kind": "person", "id": "local"}


def test_a_newest_version_that_is_not_believed_says_so_in_both_spellings():
    gone = window(retired_at=AT, reason="changed", retired_by=ANA)
    rows = (memory(), memory(windows=(gone,)), memory(windows=(gone, window())))

    assert [render.memory_entry(row)["isRetired"] for row in rows] == [False, True, False]
    assert [render.memory(row)["is_retired"] for row in rows] == [False, True, False]


def test_time_keeps_the_offset_it_was_written_in():
    assert render.moment(AT, "+02:00") == "2026-01-01T02:00:00+02:00"
    assert render.moment(None) is None


def test_result_names_its_kind_and_carries_sources_only_when_asked():
    answer = SearchAnswer(hits=(hit(),), total=1, milliseconds=3.14159)

    bare = render_search.search(answer, sources=False, explain=False)
    full = render_search.search(answer, sources=True, explain=True)

    assert bare["results"][0]["memory"] == "Ana lives in Oslo."
    assert (bare["total"], bare["timing"]) == (1, 3.1)
    assert {"sources", "explain", "degraded"}.isdisjoint(bare["results"][0] | bare)
    assert full["results"][0]["sources"] == [
        {"kind": "episode", "id": "ep_1", "conversationId": "c-1", "messageIndex": 0, "quote": "I moved to Oslo.",
         "saidAt": "2026-01-01T00:00:00Z"}
    ]  # fmt: skip
    assert full["results"][0]["explain"] == {"vectors": 0.7}


def test_chunk_result_names_its_document():
    chunk = hit(id="chk_1", kind="chunk", memory=None, document_id="doc_1", position=0, title="T")

    shown = render_search.hit(chunk, sources=False, explain=False)

    assert (shown["chunk"], shown["documentId"], shown["position"], shown["title"]) == (chunk.text, "doc_1", 0, "T")
    assert "memory" not in shown


def test_what_was_skipped_is_said():
    answer = SearchAnswer(hits=(), total=0, milliseconds=1.0, degraded=("No model.",))

    assert render_search.search(answer, sources=False, explain=False)["degraded"] == ["No model."]


def test_answer_says_what_it_saved():
    cited = Citation(n=1, id="mem_2", text="Ana lives in Oslo.", similarity=0.8, sources=(TOLD,))
    answer = Answer(
        answer="Oslo [1].", citations=(cited,), context="...", context_tokens=20, source_tokens=900, model="extractive"
    )

    shown = render.answer(answer)

    assert shown["tokens"] == {"context": 20, "source": 900, "ratio": 45.0}
    assert shown["citations"][0]["source"] == shown["citations"][0]["sources"][0]
    assert shown["citations"][0]["source"]["message_index"] == 0


def test_answer_of_nothing_has_no_ratio():
    shown = render.answer(
        Answer(answer="", citations=(), context="", context_tokens=0, source_tokens=0, model="extractive")
    )

    assert shown["tokens"]["ratio"] is None


def test_compression_says_what_it_kept():
    shown = render.compressed(Compressed(text="One.", tokens_before=10, tokens_after=2, kept=1, dropped=4))

    assert shown == {"text": "One.", "tokens": {"context": 2, "source": 10}, "ratio": 0.2, "kept": 1, "dropped": 4}


def test_preview_has_candidates_and_forgetting_has_forgotten():
    match = Match(id="mem_2", text="Ana lives in Oslo.", score=0.8)

    preview = render.forgetting(Forgetting(dry_run=True, batch_id=None, matches=(match,)))
    gone = render.forgetting(Forgetting(dry_run=False, batch_id="fgt_1", matches=(match,)))

    assert preview["candidates"] == gone["forgotten"] == [{"id": "mem_2", "memory": match.text, "score": 0.8}]
    assert preview["summary"] == "1 memory would be forgotten."
    assert (gone["summary"], gone["forgetBatchId"], gone["count"]) == ("1 memory forgotten.", "fgt_1", 1)


def job(state, **changes):
    fields = {
        "id": "job_1", "space": "a", "kind": "document", "state": state, "document_id": "doc_1", "revision": 1,
        "session_id": None, "reason": None, "warning": None, "items_total": 3, "items_done": 1, "items_failed": 0,
        "created_at": AT, "updated_at": AT, "finished_at": None,
    }  # fmt: skip
    return Job(**{**fields, **changes})


def test_partial_is_done_with_a_warning_and_cancelled_is_failed_with_a_reason():
    sent = Accepted(id="doc_1", status="queued", job_id="job_1")

    partial = render.finished(sent, job("partial", warning="1 of 3 parts failed."))
    cancelled = render.finished(sent, job("cancelled", reason="Cancelled by person local."))

    assert (partial["status"], partial["warning"]) == ("done", "1 of 3 parts failed.")
    assert (cancelled["status"], cancelled["errorMessage"]) == ("failed", "Cancelled by person local.")
    assert render.finished(sent, job("running"))["status"] == "queued"


def test_pagination_counts_pages():
    page = Page(rows=(1, 2), total=5, limit=2, next_cursor="abc")

    assert render.listed(page, "rows", lambda row: row, number=2) == {
        "rows": [1, 2],
        "pagination": {"currentPage": 2, "limit": 2, "totalItems": 5, "totalPages": 3, "nextCursor": "abc"},
    }

"""The arm "time" of `services.search`: rows near the times that a question names, by date or by an event."""

import numpy as np
import pytest

from memory.records import ARMS, FOREVER, Scope, SearchQuery
from memory.temporal import parse_instant
from services.search import search
from store.row_times import NEVER
from tests.rows import put_document, put_memories, searching_host

SCOPE = Scope(tenant="default", spaces=("home",))


@pytest.fixture
def host(tmp_path):
    return searching_host(tmp_path)


def at(day):
    return parse_instant(day)[0]


def put(host, statement, day, ends=None, **options):
    """Insert a memory that holds since a day."""
    window = (at(day), FOREVER if ends is None else at(ends))
    (row_id,) = put_memories(host, "home", [statement], window=window, group=statement, **options)
    return row_id


def ask(host, q, *, now="2024-05-15", **options):
    return search(SCOPE, host, SearchQuery(q=q, now=at(now), as_of=at(now), **options)).hits


def first(host, q, **options):
    return ask(host, q, **options)[0].text


DINNERS = {"2024-05-14": "For dinner there was soup.", "2024-05-07": "For dinner there was rice.",
           "2023-04-10": "For dinner there was fish."}  # fmt: skip


@pytest.mark.parametrize(
    ("q", "found"),
    [
        ("What was there for dinner yesterday?", "soup"),
        ("What was there for dinner last week?", "rice"),
        ("What was there for dinner last spring?", "fish"),
        ("What was there for dinner before 2024?", "fish"),
        ("What was there for dinner since May 10?", "soup"),
    ],
)
def test_of_rows_alike_the_one_of_the_named_time_is_first(host, q, found):
    for day, dinner in DINNERS.items():
        put(host, dinner, day)

    assert found in first(host, q)


def test_the_question_counts_from_the_now_and_zone_that_it_was_sent_with(host):
    for day, dinner in DINNERS.items():
        put(host, dinner, day)

    assert "rice" in first(host, "What was there for dinner yesterday?", now="2024-05-08")
    # Whoever asks for the truth of a day without a `now` of his own asks from that day.
    asked = SearchQuery(q="What was there for dinner yesterday?", as_of=at("2024-05-08"))
    assert "rice" in search(SCOPE, host, asked).hits[0].text
    # 22:30 of the 13th in UTC is the 14th where the asker is.
    put(host, "For dinner there was bread.", "2024-05-13T22:30:00Z")
    named = {"q": "What was there for dinner on 14 May 2024?", "limit": 10}
    times = {hit.text: hit.explain["time"] for hit in ask(host, zone="+02:00", **named)}
    assert times["For dinner there was bread."] == 1.0
    times = {hit.text: hit.explain["time"] for hit in ask(host, **named)}
    assert times["For dinner there was bread."] < 1.0


def test_a_date_in_the_words_of_a_memory_is_its_time_too(host):
    put(host, "The dentist is due on 12 June 2024.", "2024-05-02")
    put(host, "The dentist is due soon.", "2024-05-03")

    hits = {hit.text: hit.explain["time"] for hit in ask(host, "When is the dentist due next month?")}

    assert hits == {
        "The dentist is due on 12 June 2024.": 1.0,
        "The dentist is due soon.": pytest.approx(0.25, abs=0.05),
    }


def test_the_arm_is_shown_only_when_a_time_is_named_and_the_arm_is_used(host):
    put(host, "For dinner there was soup.", "2024-05-14")

    assert "time" not in ask(host, "What was there for dinner?")[0].explain
    assert "time" not in ask(host, "What was there for dinner yesterday?", arms=ARMS - {"time"})[0].explain
    assert ask(host, "What was there for dinner yesterday?")[0].explain["time"] == 1.0


def test_the_arm_only_raises(host):
    for day, dinner in DINNERS.items():
        put(host, dinner, day)
    q = "What was there for dinner last week?"

    without = {hit.id: hit.similarity for hit in ask(host, q, arms=ARMS - {"time"})}

    assert all(hit.similarity >= without[hit.id] for hit in ask(host, q))


def test_what_is_of_the_named_time_is_relevant(host):
    put(host, "For dinner there was soup.", "2024-05-14")

    def hits(q):
        return search(SCOPE, host, SearchQuery(q=q, now=at("2024-05-15"), rerank=True)).hits

    assert hits("Who called yesterday?")
    assert not hits("Who called last year?")


def test_an_event_that_a_memory_tells_of_stands_for_its_time(host):
    put(host, "The move to Oslo was hard.", "2024-01-10")
    put(host, "For dinner there was soup.", "2023-12-01")
    put(host, "For dinner there was rice.", "2024-03-01")

    dinners = [hit.text for hit in ask(host, "What was there for dinner before the move to Oslo?")][1:]
    assert dinners == ["For dinner there was soup.", "For dinner there was rice."]
    dinners = [hit.text for hit in ask(host, "What was there for dinner after the move to Oslo?")][1:]
    assert dinners == ["For dinner there was rice.", "For dinner there was soup."]


def test_an_event_that_no_row_clearly_tells_of_is_left_out(host):
    put(host, "For dinner there was soup.", "2023-12-01")

    assert "time" not in ask(host, "What was there for dinner before the eclipse?")[0].explain


def test_an_event_that_is_not_seen_at_the_time_asked_about_is_not_used(host):
    put(host, "The move to Oslo was hard.", "2024-01-10")
    put(host, "For dinner there was soup.", "2023-12-01")
    q = "What was there for dinner before the move to Oslo?"

    assert "time" in ask(host, q)[0].explain
    assert "time" not in ask(host, q, now="2023-12-31")[0].explain
    hits = search(SCOPE, host, SearchQuery(q=q, as_of=at("2024-05-15"), known_at=at("1980-01-01"))).hits
    assert hits == ()


def test_an_event_of_another_user_is_not_used(host):
    put(host, "The move to Oslo was hard.", "2024-01-10", user="ann")
    put(host, "For dinner there was soup.", "2023-12-01")
    q = SearchQuery(q="What was there for dinner before the move to Oslo?", now=at("2024-05-15"))

    hits = search(Scope(tenant="default", spaces=("home",), user="bob"), host, q).hits

    assert [hit.text for hit in hits] == ["For dinner there was soup."]
    assert "time" not in hits[0].explain


def test_times_are_read_once_and_follow_changes(host):
    put(host, "The dentist is due on 12 June 2024.", "2024-05-02")
    put_document(host, "home", "doc_1", ["How to make tea."])
    assert host.search.segment("default", "home").times is None

    times = host.search.segment("default", "home", times=True).times
    assert times.first.tolist() == [at("2024-06-12"), NEVER]
    assert times.after.tolist() == [at("2024-06-13"), NEVER]
    assert times.said[1] != NEVER

    with host.store.write("default") as tx:
        tx.execute("UPDATE document SET document_date = ?", (at("2020-01-01"),))
        tx.execute("INSERT INTO change (space_id, row_id, op, at) SELECT space_id, id, 'metadata', 0 FROM search_row")
    put(host, "It rained (2023-05-01/2023-05-07).", "2023-05-08")
    later = host.search.segment("default", "home").times
    assert later.said[1] == at("2020-01-01")
    assert (later.first[2], later.after[2]) == (at("2023-05-01"), at("2023-05-08"))
    assert np.array_equal(times.first, [at("2024-06-12"), NEVER])

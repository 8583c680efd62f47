import unicodedata

import numpy as np
import pytest

from memory.errors import ModelUnavailable
from memory.ports import Reranked
from memory.records import ARMS, FOREVER, Scope, SearchQuery
from services.reranking import MOST_CHARS
from services.search import NOTHING_RELEVANT, search
from store import rows
from tests.rows import ACTOR, put_document, put_memories, searching_host

SCOPE = Scope(tenant="default", spaces=("home",))


@pytest.fixture
def host(tmp_path):
    return searching_host(tmp_path)


def texts(host, q, scope=SCOPE, **options):
    return [hit.text for hit in search(scope, host, SearchQuery(q=q, **options)).hits]


def test_the_best_match_comes_first_with_a_similarity_between_0_and_1(host):
    put_memories(host, "home", ["Ann likes green tea.", "Bob moved to Oslo.", "The car is red."])
    answer = search(SCOPE, host, SearchQuery(q="Where did Bob move?"))
    assert answer.hits[0].text == "Bob moved to Oslo."
    assert all(0 <= hit.similarity <= 1 for hit in answer.hits)
    assert answer.total == 3
    assert answer.degraded == ()


def test_a_space_that_nobody_wrote_to_is_empty(host):
    assert search(SCOPE, host, SearchQuery(q="anything")).hits == ()


def test_the_mode_chooses_between_memories_and_chunks(host):
    put_memories(host, "home", ["Ann likes tea."])
    put_document(host, "home", "doc_1", ["How to make tea."])
    assert texts(host, "tea", mode="memories") == ["Ann likes tea."]
    assert texts(host, "tea", mode="documents") == ["Guide\nHow to make tea."]
    assert set(texts(host, "tea", mode="hybrid")) == {"Ann likes tea.", "Guide\nHow to make tea."}


def test_a_chunk_names_its_document_and_place(host):
    put_document(host, "home", "doc_1", ["How to make tea.", "How to make coffee."])
    hit = search(SCOPE, host, SearchQuery(q="coffee", mode="documents")).hits[0]
    assert (hit.kind, hit.document_id, hit.position, hit.title) == ("chunk", "doc_1", 1, "Guide")
    assert (hit.sources[0].kind, hit.sources[0].document_id) == ("document", "doc_1")


def test_another_space_is_neither_returned_nor_counted(host):
    # given a word that is rare at home
    put_memories(host, "home", ["Ann likes tea.", "Bob likes rum."])
    alone = search(SCOPE, host, SearchQuery(q="tea")).hits
    # when another space is full of it
    put_memories(host, "work", [f"The tea of desk {number}." for number in range(50)])
    beside = search(SCOPE, host, SearchQuery(q="tea")).hits
    # then home does not change by a bit
    assert [(hit.id, hit.similarity) for hit in beside] == [(hit.id, hit.similarity) for hit in alone]


def test_several_spaces_are_merged_by_what_each_says(host):
    put_memories(host, "home", ["Ann likes tea.", "The roof leaks."])
    put_memories(host, "work", ["The tea kitchen is closed.", "Lunch is at noon."])
    both = Scope(tenant="default", spaces=("home", "work", "nowhere", "home"))
    assert set(texts(host, "tea", scope=both, limit=2)) == {"Ann likes tea.", "The tea kitchen is closed."}


def test_equal_text_comes_once(host):
    put_memories(host, "home", ["Ann likes tea.", "Ann likes tea.", "Bob likes tea."])
    assert sorted(texts(host, "tea", limit=2)) == ["Ann likes tea.", "Bob likes tea."]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The balance is 5.", "The balance is -5."),
        ("Open the valve at a temperature < 10", "Open the valve at a temperature > 10"),
        ("Ann lives in Oslo?", "Ann lives in Oslo."),
        ("???", "!!!"),
        ("a = b", "a != b"),
        ("5 < x > 3", "5 > x < 3"),
    ],
)
def test_texts_that_differ_by_a_sign_alone_are_both_found(host, one, other):
    put_memories(host, "home", [one, other])
    assert set(texts(host, one)) == {one, other}
    # and below headings, or said by speakers, that differ so
    for number, sign in enumerate("<>"):
        put_document(host, "docs", f"doc_{number}", ["Close it."], title=f"Pressure {sign} 5")
    assert len(texts(host, "pressure", scope=Scope(tenant="default", spaces=("docs",)), mode="documents")) == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Khám ở bệnh viện", unicodedata.normalize("NFD", "Khám ở bệnh viện")),
        ("Model ＡＢＣ is in stock", "Model ABC is in stock"),
        ("The ware\u200bhouse is  cold.", "the warehouse is cold"),
    ],
)
def test_forms_of_one_text_come_once(host, one, other):
    for user, text in (("ann", one), ("bob", other)):
        put_memories(host, "home", [text], user=user)
    assert len(texts(host, one)) == 1


def test_a_memory_that_says_no_more_than_a_chunk_comes_once_with_it(host):
    put_memories(host, "home", ["Guide How to make tea."])
    put_document(host, "home", "doc_1", ["How to make tea."])
    assert len(texts(host, "tea", mode="hybrid")) == 1


def test_similarity_does_not_depend_on_limit_or_filter(host):
    put_memories(host, "home", ["Ann likes tea.", "Bob likes rum."], metadata={"n": 1})
    put_memories(host, "home", ["Eve likes tea too."], metadata={"n": 2}, start=2)
    wide = {hit.id: hit.similarity for hit in search(SCOPE, host, SearchQuery(q="tea")).hits}
    (narrow,) = search(SCOPE, host, SearchQuery(q="tea", limit=1, document_id=None)).hits
    assert narrow.similarity == wide[narrow.id]


def test_a_threshold_leaves_out_what_is_less_similar(host):
    put_memories(host, "home", ["Ann likes tea."], group="ses_1")
    put_memories(host, "home", ["Bob moved to Oslo."], group="ses_2")
    assert texts(host, "Ann likes tea", threshold=0.6) == ["Ann likes tea."]


def test_a_row_is_lifted_by_its_neighbours_unless_it_has_to_stand_alone(host):
    # given an answer that shares no word with the question, behind its question
    put_memories(host, "home", ["Where does Ann live?", "In Oslo."], group="ses_1")
    put_memories(host, "home", ["Bananas rot."], group="ses_2")
    question = "Where does Ann live"
    assert texts(host, question)[1] == "In Oslo."
    alone = search(SCOPE, host, SearchQuery(q=question, surroundings=False)).hits
    lifted = search(SCOPE, host, SearchQuery(q=question)).hits
    assert alone[1].similarity < lifted[1].similarity


def test_past_and_belief_are_read_by_their_own_clock(host):
    # given a move
    (old,) = put_memories(host, "home", ["Ann lives in Rome."], window=(0, FOREVER))
    host.clock.advance(60)
    moved = host.clock()
    with host.store.write("default") as tx:
        rows.close_windows(tx, old, until=moved, at=moved, actor=ACTOR, reason="moved")
    put_memories(host, "home", ["Ann lives in Oslo."], window=(moved, FOREVER))
    host.clock.advance(60)
    # then
    assert texts(host, "Where does Ann live?") == ["Ann lives in Oslo."]
    assert texts(host, "Where does Ann live?", as_of=moved - 1) == ["Ann lives in Rome."]
    assert texts(host, "Where does Ann live?", as_of=moved, known_at=moved - 1) == ["Ann lives in Rome."]


def test_full_text_carries_on_without_an_embedder_and_says_so(host):
    put_memories(host, "home", ["Ann likes tea.", "Bob likes rum."])
    host.models.embedder_down = True
    answer = search(SCOPE, host, SearchQuery(q="tea", limit=1))
    assert answer.hits[0].text == "Ann likes tea."
    assert "full text" in answer.degraded[0]


def test_vectors_of_another_model_are_not_compared(host):
    put_memories(host, "home", ["Ann likes tea.", "Bob likes rum."])
    with host.store.write("default") as tx:
        tx.execute("UPDATE generation SET model = 'other'")
    answer = search(SCOPE, host, SearchQuery(q="tea", limit=1))
    assert answer.hits[0].text == "Ann likes tea."
    assert "other" in answer.degraded[0]
    assert "vectors" not in answer.hits[0].explain


def test_a_reranker_changes_the_order_and_keeps_similarity_and_raw_scores(host):
    put_memories(host, "home", ["Ann likes tea.", "Bob likes tea."])
    plain = {hit.id: hit.similarity for hit in search(SCOPE, host, SearchQuery(q="Ann tea")).hits}
    host.models.scores = np.array([-9.0, 3.0], dtype=np.float32)
    answer = search(SCOPE, host, SearchQuery(q="Ann tea", rerank=True))
    assert {hit.id: hit.similarity for hit in answer.hits} == plain
    assert sorted(hit.explain["rerank"] for hit in answer.hits) == [-9.0, 3.0]
    assert host.models.weights[-1].keys() == {"ann", "tea"}
    assert answer.degraded == ()


@pytest.mark.parametrize(
    "scores", [None, np.array([1.0], dtype=np.float32), np.array([1.0, np.nan], dtype=np.float32)], ids=str
)
def test_a_reranker_that_fails_leaves_the_order_and_is_named(host, scores):
    put_memories(host, "home", ["Ann likes tea.", "Bob likes rum."])
    host.models.scores, host.models.reranker_down = scores, scores is None
    plain = [hit.id for hit in search(SCOPE, host, SearchQuery(q="tea")).hits]
    answer = search(SCOPE, host, SearchQuery(q="tea", rerank=True))
    assert [hit.id for hit in answer.hits] == plain
    assert "not reranked" in answer.degraded[0]
    host.models.scores, host.models.reranker_down = None, False
    assert search(SCOPE, host, SearchQuery(q="tea", rerank=True)).degraded == ()


def test_equal_scores_for_all_are_no_reranking(host):
    put_memories(host, "home", ["Ann likes tea.", "Bob likes rum."])
    host.models.scores = np.array([0.5, 0.5], dtype=np.float32)
    answer = search(SCOPE, host, SearchQuery(q="tea", rerank=True))
    assert answer.hits[0].text == "Ann likes tea."
    assert "same score" in answer.degraded[0]


def test_hits_that_nobody_reranked_in_time_keep_their_places(host):
    # given four hits in this order, the second of which is not scored
    put_memories(host, "home", ["tea cup pot tin", "tea cup pot", "tea cup", "tea"])
    plain = texts(host, "tea cup pot tin")
    scores = np.array([0.1, np.nan, 0.2, 0.9], dtype=np.float32)
    host.models.rerank = lambda *_: Reranked(scores=scores, missing=frozenset({1}), degraded="1 of 4 is missing")
    answer = search(SCOPE, host, SearchQuery(q="tea cup pot tin", rerank=True))
    assert answer.hits[1].text == plain[1]
    assert "rerank" not in answer.hits[1].explain
    assert {hit.text for hit in answer.hits} == set(plain)
    assert [hit.score for hit in answer.hits] == sorted((hit.score for hit in answer.hits), reverse=True)
    assert answer.degraded == ("1 of 4 is missing",)


def test_words_that_meet_nothing_while_no_model_answers_are_no_proof_of_nothing(host):
    put_memories(host, "home", ["Ann likes tea."])
    host.models.embedder_down = True
    with pytest.raises(ModelUnavailable):
        search(SCOPE, host, SearchQuery(q="beverage"))
    empty = Scope(tenant="default", spaces=("nowhere",))
    assert search(empty, host, SearchQuery(q="beverage")).hits == ()


@pytest.mark.parametrize("q", ["tea", "beverage", "What did Ann drink after the wedding?"])
def test_without_the_vectors_arm_no_model_is_asked_or_missed(host, q):
    put_memories(host, "home", ["Ann likes tea.", "The wedding was in May."])
    arms = ARMS - {"vectors"}
    up = search(SCOPE, host, SearchQuery(q=q, arms=arms))
    assert host.models.asked == []
    host.models.embedder_down = True
    down = search(SCOPE, host, SearchQuery(q=q, arms=arms))
    assert down.hits == up.hits
    assert down.hits
    assert down.degraded == up.degraded == ()


@pytest.mark.parametrize("q", ["?!", "   ", "'; DROP TABLE memory; --", '"unclosed', "NEAR(", "🍵"])
def test_odd_queries_find_something_or_nothing_but_never_fail(host, q):
    put_memories(host, "home", ["Ann likes tea."])
    assert len(search(SCOPE, host, SearchQuery(q=q)).hits) == 1


OFF = "Which port does PostgreSQL use?"


def test_nothing_relevant_is_said_with_a_reason_once_a_reranker_has_read_the_best(host):
    put_memories(host, "home", ["Ann likes tea.", "Bob likes rum."])
    host.models.scores = np.array([0.1, 0.2], dtype=np.float32)
    answer = search(SCOPE, host, SearchQuery(q=OFF, rerank=True))
    assert (answer.hits, answer.total) == ((), 0)
    assert answer.reason.startswith("Nothing relevant")
    assert search(SCOPE, host, SearchQuery(q="Ann tea", rerank=True)).reason is None


def test_nothing_relevant_is_said_of_documents_too_long_to_be_read_whole(host):
    # given more chunks than the reranker's budget of characters holds
    host.models.rerank = lambda q, texts, idf: Reranked(scores=np.linspace(0.3, 0.1, len(texts), dtype=np.float32))
    bodies = [f"Tea number {n}. {'Leaves are dried. ' * 150}" for n in range(12)]
    put_document(host, "home", "doc_1", bodies)
    assert sum(map(len, bodies)) > 2 * MOST_CHARS
    # then what was not read is judged by its words and its vector
    answer = search(SCOPE, host, SearchQuery(q=OFF, rerank=True, mode="documents"))
    assert host.reranks.counts()["done"] == 1
    assert (answer.hits, answer.reason) == ((), NOTHING_RELEVANT)
    # and one that comes near keeps all
    put_document(host, "home", "doc_2", ["PostgreSQL does use a port. " * 100, *["Port wine. " * 200] * 3])
    near = search(SCOPE, host, SearchQuery(q=OFF, rerank=True, mode="documents"))
    assert near.hits
    assert near.reason is None


@pytest.mark.parametrize(
    "options", [{"rerank": False}, {"known_at": FOREVER - 2}, {"kinds": frozenset({"fact"})}], ids=str
)
def test_rows_come_near_or_not_where_nobody_read_them_or_the_caller_narrowed_the_search(host, options):
    put_memories(host, "home", ["Ann likes tea.", "Bob likes rum."])
    answer = search(SCOPE, host, SearchQuery(q=OFF, **{"rerank": True, **options}))
    assert len(answer.hits) == 2
    assert answer.reason is None


def test_a_reranker_that_fails_hides_nothing(host):
    put_memories(host, "home", ["Ann likes tea.", "Bob likes rum."])
    host.models.reranker_down = True
    answer = search(SCOPE, host, SearchQuery(q=OFF, rerank=True))
    assert len(answer.hits) == 2
    assert answer.reason is None
    assert host.reranks.counts() == {"done": 0, "skipped": 0, "failed": 1}


def test_where_the_order_is_clear_nothing_is_reread_and_the_search_is_counted(host):
    put_memories(host, "home", ["Ann likes tea.", *(f"Dull text number {n}." for n in range(9))], group="ses_1")
    answer = search(SCOPE, host, SearchQuery(q="Ann likes tea", rerank=True, limit=3))
    assert host.models.weights == []
    assert "rerank" not in answer.hits[0].explain
    assert host.reranks.counts() == {"done": 0, "skipped": 1, "failed": 0}


def test_a_row_that_says_the_word_comes_before_those_beside_it_however_often_it_says_it(host):
    said = "Terrier, terrier, terrier: our terrier barks at the other terrier."
    put_memories(host, "home", ["The weather was grey.", said, "I bought an umbrella.", "We painted the fence."])
    assert texts(host, "terrier", arms=frozenset({"lexical"}))[0] == said


@pytest.mark.parametrize("arm", ["vectors", "time", "entities"])
def test_words_do_not_count_when_full_text_is_switched_off(host, arm):
    put_memories(host, "home", ["Maya likes tea.", "Bob likes rum."])
    hits = search(SCOPE, host, SearchQuery(q="Does Maya like tea?", arms=frozenset({arm}))).hits
    assert not {"lexical", "words"} & {name for hit in hits for name, value in hit.explain.items() if value}


def test_a_similarity_that_was_shown_keeps_its_own_row_as_a_threshold(host):
    put_memories(host, "home", [f"Maya likes tea number {n} and {'very ' * n}much." for n in range(9)])
    for hit in search(SCOPE, host, SearchQuery(q="Who likes tea?")).hits:
        shown = round(hit.similarity, 6)
        assert hit.text in texts(host, "Who likes tea?", threshold=shown)

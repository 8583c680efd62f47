import numpy as np
import pytest

from memory.ports import Reranked
from memory.records import Hit
from services.fake_models import WordModels
from services.fakes import fake_host
from services.reranking import MOST_CHARS, POOL, contenders, nothing_relevant, reread
from services.results import RankedRow


def ranked(*relevances, **parts):
    """Rank rows of these relevances, all of the same parts: near by their vectors unless others are given."""
    parts = parts or {"vectors": 0.5}
    return [RankedRow(row_id=n, text_key=n, relevance=one, explain=parts) for n, one in enumerate(relevances)]


def hit(n, relevance=0.5, text="", **explain):
    parts = {"vectors": relevance, "words": relevance, "group": relevance, **explain}
    return Hit(
        id=f"mem_{n}", kind="memory", text=text or f"row {n}", similarity=relevance, score=relevance, metadata={},
        updated_at=0, space="s", explain=parts,
    )  # fmt: skip


@pytest.fixture
def host(tmp_path):
    return fake_host(tmp_path, models=WordModels())


def answering(host, scores, missing=()):
    raw = np.array(scores, dtype=np.float32)
    host.models.rerank = lambda *_: Reranked(scores=raw, missing=frozenset(missing))
    return host


def test_only_what_may_still_come_among_the_results_is_read():
    rows = ranked(0.50, 0.48, 0.46, 0.44, 0.42, 0.40, 0.38)
    assert contenders(rows, limit=2) == 4
    assert contenders(rows, limit=5) == 7
    assert contenders(rows, limit=50) == 7


def test_no_more_than_a_pool_is_read_unless_more_are_wanted():
    rows = ranked(*[0.5] * 300)
    assert contenders(rows, limit=10) == POOL
    assert contenders(rows, limit=150) == 150


def test_nothing_is_read_where_the_order_is_clear_or_nothing_was_found():
    assert contenders(ranked(0.7, 0.6, 0.6, 0.6, 0.49), limit=5) == 0
    assert contenders(ranked(0.7, 0.6, 0.6, 0.6, 0.51), limit=5) == 5
    assert contenders([], limit=5) == 0


def test_the_best_of_poor_rows_is_read_however_far_ahead_it_is():
    poor = {"vectors": 0.34, "lexical": 0.34}
    assert contenders(ranked(0.30, 0.09, 0.08, 0.08, 0.07, **poor), limit=5) == 5
    for near in ({**poor, "vectors": 0.36}, {**poor, "lexical": 0.36}, {**poor, "time": 1.0}):
        assert contenders(ranked(0.30, 0.09, 0.08, 0.08, 0.07, **near), limit=5) == 0


def test_a_few_rows_are_read_however_far_apart():
    assert contenders(ranked(0.9, 0.1), limit=5) == 2
    assert contenders(ranked(0.9), limit=5) == 1


def test_the_score_of_a_hit_does_not_depend_on_the_others_that_were_read(host):
    # given three hits, and their scores read alone
    hits, scores = [hit(1, 0.4), hit(2, 0.3), hit(3, 0.2)], [0.2, 0.9, 0.5]
    alone = {}
    for one, score in zip(hits, scores, strict=True):
        (read,), _ = reread(answering(host, [score]), "q", [one], 1, {})
        alone[one.id] = read.score
    # when they are read together
    together, failure = reread(answering(host, scores), "q", hits, 3, {})
    # then nothing changes but the order
    assert {one.id: one.score for one in together} == alone
    assert [one.id for one in together] == ["mem_2", "mem_3", "mem_1"]
    assert [one.explain["rerank"] for one in together] == pytest.approx([0.9, 0.5, 0.2])
    assert failure is None


def test_hits_with_different_parts_are_scored_each_by_its_own(host):
    without = Hit(**{**_fields(hit(2)), "explain": {"words": 0.5, "group": 0.5}})
    read, _ = reread(answering(host, [0.5, 0.5001]), "q", [hit(1), without], 2, {})
    assert [one.score for one in read] == pytest.approx([0.5, 0.5], abs=1e-3)


def test_what_was_not_read_comes_behind_and_never_has_more(host):
    hits = [hit(1, 0.4), hit(2, 0.39), hit(3, 0.38), hit(4, 0.2)]
    read, _ = reread(answering(host, [0.1, 0.3]), "q", hits, 2, {})
    assert [one.id for one in read] == ["mem_2", "mem_1", "mem_3", "mem_4"]
    scores = [one.score for one in read]
    assert scores == sorted(scores, reverse=True)
    assert read[3].score == pytest.approx(0.2)


def test_what_is_over_the_budget_of_characters_is_not_sent(host):
    sent = []
    host.models.rerank = lambda q, passages, idf: (
        sent.append(passages) or Reranked(scores=np.linspace(0, 1, len(passages), dtype=np.float32))
    )
    hits = [hit(n, text=str(n) * (MOST_CHARS // 4)) for n in range(9)]
    read, _ = reread(host, "q", hits, 9, {})
    assert len(sent[0]) == 4
    assert [one.id for one in read[4:]] == [f"mem_{n}" for n in range(4, 9)]
    huge = [hit(n, text=str(n) * 2 * MOST_CHARS) for n in range(3)]
    reread(host, "q", huge, 3, {})
    assert len(sent[1]) == 2


@pytest.mark.parametrize("scores", [[0.1], [0.1, np.nan], [0.1, np.inf], [0.5, 0.5]], ids=str)
def test_an_answer_that_cannot_be_right_leaves_the_order_and_is_named(host, scores):
    hits = [hit(1), hit(2)]
    read, failure = reread(answering(host, scores), "q", hits, 2, {})
    assert read == hits
    assert failure.startswith("The results were not reranked")


def test_nothing_is_relevant_only_when_every_raw_score_of_every_hit_is_low():
    low = {"vectors": 0.3, "lexical": 0.3, "calibrated": 0.39}
    assert nothing_relevant([hit(1, **low), hit(2, **low)])
    for name, value in (("vectors", 0.36), ("lexical", 0.36), ("calibrated", 0.41), ("time", 1.0)):
        assert not nothing_relevant([hit(1, **low), hit(2, **{**low, name: value})])


def test_beside_hits_that_were_read_the_others_are_judged_by_what_is_known_of_them():
    read, unread = {"vectors": 0.3, "lexical": 0.3, "calibrated": 0.3}, {"vectors": 0.3, "lexical": 0.3}
    assert nothing_relevant([hit(1, **read), hit(2, **unread)])
    assert not nothing_relevant([hit(1, **read), hit(2, **{**unread, "vectors": 0.4})])
    assert not nothing_relevant([hit(1, **read), hit(2, **{**unread, "lexical": 0.4})])
    # Words alone do not tell what nobody has read and no vector was compared with.
    without = Hit(**{**_fields(hit(2)), "explain": {"lexical": 0.0}})
    assert not nothing_relevant([hit(1, **read), without])


def test_nothing_is_not_said_where_nothing_was_read_or_found():
    assert not nothing_relevant([hit(1, vectors=0.1, lexical=0.1)])
    assert not nothing_relevant([])


@pytest.mark.parametrize(("raw", "nothing"), [(-7.0, True), (0.3, False), (-0.4, False), (-0.5, True), (3.0, False)])
def test_a_logit_is_judged_as_a_probability_also_where_it_looks_like_a_cosine(host, raw, nothing):
    # given a reranker that has shown that it gives logits
    reread(answering(host, [8.1, -9.0]), "q", [hit(1), hit(2)], 2, {})
    # when it scores a single hit
    read, _ = reread(answering(host, [raw]), "q", [hit(3, vectors=0.1, lexical=0.1)], 1, {})
    # then
    assert read[0].explain["rerank"] == pytest.approx(raw)
    assert read[0].explain["calibrated"] == pytest.approx(1 / (1 + np.exp(-raw)))
    assert nothing_relevant(read) == nothing


def test_a_logit_counts_the_same_whichever_others_are_read_with_it(host):
    # given logits, some of which look like cosines, read once together
    raw = [2.5, 0.9, 0.3, -0.4, -0.9]
    hits = [hit(n) for n in range(len(raw))]
    together, _ = reread(answering(host, raw), "q", hits, len(raw), {})
    expected = {one.id: (one.score, one.explain["calibrated"]) for one in together}
    # then each has the same score in any part of them
    for start in range(len(raw)):
        for end in range(start + 1, len(raw) + 1):
            read, _ = reread(answering(host, raw[start:end]), "q", hits[start:end], end - start, {})
            assert {one.id: (one.score, one.explain["calibrated"]) for one in read}.items() <= expected.items()


def _fields(one):
    return {name: getattr(one, name) for name in Hit.__slots__}


def test_a_slow_reranker_is_sent_less_until_it_is_quick_again(host):
    # given hits of ten characters, and a reranker that took a second for each fifty
    hits = [hit(n, text=f"text {n:05}") for n in range(20)]
    answer = lambda q, passages, idf: Reranked(scores=np.linspace(0.9, 0.1, len(passages), dtype=np.float32))  # noqa: E731
    host.models.rerank = answer
    host.reranks.took(50, 1.0)
    # when
    read, slow = reread(host, "q", hits, 20, {})
    # then five are read, that is said, and the next time all are
    assert sum("rerank" in one.explain for one in read) == 5
    assert slow == "Only 5 of 20 results were reranked: the reranker is slow at the moment."
    for _ in range(3):
        read, slow = reread(host, "q", hits, 20, {})
    assert slow is None
    assert all("rerank" in one.explain for one in read)


def test_a_reranker_that_has_stood_still_is_still_asked(host):
    host.reranks.took(10, 1000.0)
    sent = []
    host.models.rerank = lambda q, passages, idf: (
        sent.append(passages) or Reranked(scores=np.array([0.2, 0.1], dtype=np.float32))
    )
    reread(host, "q", [hit(n) for n in range(5)], 5, {})
    assert len(sent[0]) == 2

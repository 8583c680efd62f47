import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from memory.retrieval import best, fuse, relevance_of
from memory.surroundings import FADING, REACH, Neighbourhood, Saying, best_of_group, coverage_nearby

SCORES = arrays.arrays(np.float32, st.integers(1, 40), elements=st.floats(0, 1, width=32))


@given(scores=SCORES, other=st.integers(0, 2**32 - 1), third=st.booleans())
def test_fusion_does_not_depend_on_the_order_of_the_arms(scores, other, third):
    # given some arms
    rng = np.random.default_rng(other)
    arms = {"vectors": scores, "lexical": rng.random(len(scores), dtype=np.float32)}
    if third:
        arms["graph"] = rng.random(len(scores), dtype=np.float32)
    weights = {"lexical": 0.5, "graph": 0.2, "vectors": 0.5}
    # when they come in another order
    straight, turned = fuse(arms, weights), fuse(dict(reversed(arms.items())), weights)
    # then not a bit changes
    assert straight.tobytes() == turned.tobytes()


@settings(deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 40), terms=st.integers(0, 5), kept=st.floats(0, 1))
def test_words_nearby_are_what_a_loop_over_the_rows_finds_whatever_the_pool(seed, n, terms, kept):
    # given rows in groups, the words that each says, and a part of the rows as the pool
    rng = np.random.default_rng(seed)
    groups, slots = np.sort(rng.integers(0, 6, n)).astype(np.int32), rng.permutation(n)
    by_slot = np.empty(n, dtype=np.int32)
    by_slot[slots] = groups
    said = []
    for _ in range(terms):
        places = np.flatnonzero(rng.random(n) < 0.3)
        said.append(Saying(places, rng.random(len(places), dtype=np.float32), float(rng.random())))
    pool = np.flatnonzero(rng.random(n) < kept)
    # when
    found = coverage_nearby(said, Neighbourhood.of(pool, slots, by_slot))
    # then
    for place, covered in zip(pool, found, strict=True):
        whole = 0.0
        for one in said:
            near = [
                share if other == place else min(share, one.most) * FADING ** abs(int(other) - int(place))
                for other, share in zip(one.places, one.shares, strict=True)
                if abs(other - place) <= REACH and groups[other] == groups[place]
            ]
            whole += max(near, default=0.0)
        assert abs(covered - min(1.0, whole)) < 1e-5
        assert 0 <= covered <= 1


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 30), reread=st.booleans(), missing=st.booleans())
def test_relevance_is_bounded_and_does_not_depend_on_the_other_rows(seed, n, reread, missing):
    # given parts of rows
    rng = np.random.default_rng(seed)
    names = ["words", "group", "question", "entities", "time", *["rerank"] * reread, *["vectors"] * (not missing)]
    parts = {name: rng.random(n, dtype=np.float32) for name in names}
    # when they are put together, all at once or each alone
    whole = relevance_of(parts)
    single = [relevance_of({name: values[[row]] for name, values in parts.items()})[0] for row in range(n)]
    # then
    assert whole.tolist() == single
    assert whole.min() >= 0
    assert whole.max() <= 1


@given(
    seed=st.integers(0, 2**32 - 1), name=st.sampled_from(["vectors", "words", "group", "rerank", "entities", "time"])
)
def test_more_of_a_part_never_makes_a_row_less_relevant(seed, name):
    rng = np.random.default_rng(seed)
    parts = {
        one: rng.random(20, dtype=np.float32) for one in ("vectors", "words", "group", "rerank", "entities", "time")
    }
    more = {**parts, name: np.minimum(1, parts[name] + rng.random(20, dtype=np.float32))}
    assert (relevance_of(more) >= relevance_of(parts) - 1e-6).all()


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 30))
def test_the_best_of_a_group_does_not_depend_on_the_order_of_its_rows(seed, n):
    rng = np.random.default_rng(seed)
    own, groups = rng.random(n, dtype=np.float32), np.sort(rng.integers(0, 4, n)).astype(np.int32)
    turned = np.lexsort((rng.random(n), groups))
    np.testing.assert_allclose(best_of_group(own, groups)[turned], best_of_group(own[turned], groups), atol=1e-6)


@given(scores=SCORES, k=st.integers(1, 50), seed=st.integers(0, 2**32 - 1))
def test_a_mask_never_costs_results_while_enough_rows_match(scores, k, seed):
    # given a mask and some rows of equal text
    rng = np.random.default_rng(seed)
    eligible, keys = rng.random(len(scores)) < 0.3, rng.integers(0, len(scores), len(scores))
    # when
    slots = best(scores, eligible, keys, k)
    # then there are as many as can be, the best ones, in order, each eligible
    assert len(slots) == min(k, len(set(keys[eligible].tolist())))
    assert eligible[slots].all()
    assert list(scores[slots]) == sorted(scores[slots], reverse=True)
    rest = eligible & ~np.isin(keys, keys[slots])
    if rest.any() and len(slots):
        assert scores[rest].max() <= scores[slots].min()

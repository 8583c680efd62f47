import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from memory.retrieval import best, fuse, score

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


@given(data=st.data(), n=st.integers(1, 30))
def test_relevance_does_not_depend_on_the_order_of_the_rows(data, n):
    # given rows in groups
    seed = data.draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    own, groups = rng.random(n, dtype=np.float32), rng.integers(0, 4, n).astype(np.int32)
    positions = rng.permutation(n)
    shuffle = rng.permutation(n)
    # when the same rows are stored in another order
    first = score({"vectors": own}, reading_order=np.lexsort((positions, groups)), groups=groups)
    second = score(
        {"vectors": own[shuffle]},
        reading_order=np.lexsort((positions[shuffle], groups[shuffle])),
        groups=groups[shuffle],
    )
    # then each row has the relevance it had
    np.testing.assert_allclose(first.relevance[shuffle], second.relevance, atol=1e-6)


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

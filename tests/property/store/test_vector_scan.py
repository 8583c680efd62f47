"""What a scan by codes finds, against the plain answer; with the native part and without it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store import native
from store.vector_codes import code_column, packed, sizes_of
from store.vector_scan import EXACT_ELIGIBLE, Scanning, VectorScan

KERNELS = [None, pytest.param(native.kernel(), marks=pytest.mark.skipif(
    native.kernel() is None, reason="the native part is not installed: make setup with a C compiler"))]  # fmt: skip
CASES = {
    "seed": st.integers(0, 2**32 - 1),
    "n": st.integers(1, 700),
    "dimension": st.sampled_from([64, 65, 100, 128, 255, 384, 768, 1024]),
    "share": st.sampled_from([0.0, 0.01, 0.1, 0.4, 0.6, 1.0]),
    "most": st.integers(1, 800),
    "distinct": st.sampled_from([1, 3, 50, 10_000]),
}


def rows(seed, n, dimension, distinct):
    """Return unit vectors, some of them equal, and a query near one of them."""
    rng = np.random.default_rng(seed)
    made = rng.standard_normal((min(n, distinct), dimension)).astype(np.float32)
    made = made[rng.integers(0, len(made), n)]
    query = made[0] + 0.5 * rng.standard_normal(dimension).astype(np.float32)
    return unit(made), unit(query[None, :])[0], rng


def unit(vectors):
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def gains(vectors, query):
    """Add up what each row gains, one number after the other, as the docstring of the codes says it."""
    sizes, positive = sizes_of(query).astype(np.int64), query > 0
    return ((vectors > 0) == positive) @ sizes


def greatest(gained, mask, most):
    slots = np.flatnonzero(mask)
    return sorted(slots[np.lexsort((slots, -gained[slots]))[:most]].tolist())


@pytest.mark.parametrize("kernel", KERNELS)
@given(**CASES)
@settings(deadline=None, max_examples=150)
def test_the_rows_that_gain_most_are_found_whoever_looks(kernel, seed, n, dimension, share, most, distinct):
    # given codes that came in several pieces
    vectors, query, rng = rows(seed, n, dimension, distinct)
    column = code_column(dimension, kernel)
    for piece in np.array_split(vectors, rng.integers(1, 5)):
        column.append(piece)
    mask = rng.random(n) < share
    # when
    found = column.view().best(query, mask, most)
    # then
    assert sorted(found.tolist()) == greatest(gains(vectors, query), mask, most)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("dimension", [4_369, 4_370, 8_192])
def test_the_longest_vectors_gain_no_less_than_shorter_ones(kernel, dimension):
    # given rows that agree with a query in ever more of its numbers, all of one size, and at last in each of them
    agreeing = np.linspace(0, dimension, 100).astype(np.int64)
    vectors = np.where(np.arange(dimension) < agreeing[:, None], 1, -1).astype(np.float32)
    column = code_column(dimension, kernel)
    column.append(vectors)
    # then those that agree in most are found
    found = column.view().best(np.ones(dimension, dtype=np.float32), np.ones(100, dtype=bool), 5)
    assert sorted(found.tolist()) == [95, 96, 97, 98, 99]


@pytest.mark.parametrize("kernel", KERNELS)
@given(seed=CASES["seed"], n=CASES["n"], dimension=CASES["dimension"])
@settings(deadline=None, max_examples=50)
def test_rows_are_multiplied_as_numpy_does(kernel, seed, n, dimension):
    vectors, query, rng = rows(seed, n, dimension, n)
    scan = VectorScan(dimension, Scanning(exact_rows=0, kernel=kernel))
    scan.append(vectors)
    slots = rng.integers(0, n, rng.integers(0, n + 1))
    np.testing.assert_allclose(scan.view().cosines(query, slots), vectors[slots] @ query, atol=2e-6)


@pytest.mark.parametrize("kernel", KERNELS)
@given(**CASES)
@settings(deadline=None, max_examples=100)
def test_nothing_outside_a_mask_is_found_and_never_too_little(kernel, seed, n, dimension, share, most, distinct):
    vectors, query, rng = rows(seed, n, dimension, distinct)
    scan = VectorScan(dimension, Scanning(exact_rows=0, kernel=kernel))
    scan.append(vectors)
    mask = rng.random(n) < share
    slots, cosines = scan.view().nearest(query, mask, most)
    assert len(set(slots.tolist())) == len(slots) == min(most, int(mask.sum()))
    assert mask[slots].all()
    np.testing.assert_allclose(cosines, vectors[slots] @ query, atol=2e-6)
    assert (np.diff(cosines) <= 0).all()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("share", [1.0, 0.5])
def test_the_nearest_of_many_are_found_by_codes(kernel, share):
    # given more rows than are compared in full: clusters, so that there is something near
    rng = np.random.default_rng(5)
    centres = rng.standard_normal((400, 128))
    vectors = unit(centres[rng.integers(0, 400, 20_000)] + 0.8 * rng.standard_normal((20_000, 128)))
    scan = VectorScan(128, Scanning(exact_rows=10_000, kernel=kernel))
    for piece in np.array_split(vectors, 7):
        scan.append(piece)
    mask = rng.random(len(vectors)) < share
    assert mask.sum() > EXACT_ELIGIBLE
    # when 50 queries are asked both ways
    met = []
    for query in unit(centres[:50] + 0.8 * rng.standard_normal((50, 128))):
        exact, _ = scan.view().nearest(query, mask, 40, exact=True)
        found, _ = scan.view().nearest(query, mask, 40)
        met.append(len(set(exact.tolist()) & set(found.tolist())) / 40)
    # then next to nothing is lost
    assert np.mean(met) >= 0.995


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_reader_keeps_what_it_holds_while_rows_come(kernel):
    vectors, query, _ = rows(3, 300, 100, 300)
    scan = VectorScan(100, Scanning(exact_rows=10, kernel=kernel))
    scan.append(vectors[:45])
    held = scan.view()
    before = held.codes.best(query, np.ones(45, dtype=bool), 20)
    for row in vectors[45:]:
        scan.append(row[None, :])
    assert held.codes.best(query, np.ones(45, dtype=bool), 20).tolist() == before.tolist()
    assert (
        scan.view().nearest(query, np.ones(300, dtype=bool), 300)[0].tolist()
        == np.lexsort((np.arange(300), -(vectors @ query))).tolist()
    )


@pytest.mark.parametrize("query", [np.zeros(64), np.ones(64), np.eye(64)[5]])
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_query_of_few_sizes_is_no_exception(kernel, query):
    vectors, _, rng = rows(9, 200, 64, 200)
    column = code_column(64, kernel)
    column.append(vectors)
    query, mask = query.astype(np.float32), rng.random(200) < 0.5
    found = column.view().best(query, mask, 30)
    assert sorted(found.tolist()) == greatest(gains(vectors, query), mask, 30)


def test_a_code_takes_an_eighth_of_a_byte_for_a_number():
    assert packed(np.ones((3, 384), dtype=np.float32)).shape == (3, 48)

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from memory.surroundings import Neighbourhood, Saying, coverage_nearby

ROWS = st.integers(1, 40)


@given(st.data(), ROWS)
def test_the_rows_of_any_pool_are_covered_as_if_every_row_was_in_it(data, rows):
    sizes = data.draw(st.lists(st.integers(1, 8), min_size=rows, max_size=rows))
    groups = np.repeat(np.arange(rows), sizes)[:rows].astype(np.int32)
    reading = np.arange(rows)
    pool = np.array(sorted(data.draw(st.sets(st.integers(0, rows - 1), min_size=1))))
    terms = []
    for _ in range(data.draw(st.integers(0, 4))):
        # said in any order, once by each row
        places = np.array(data.draw(st.lists(st.integers(0, rows - 1), unique=True)), dtype=np.int32)
        shares = data.draw(arrays(np.float32, len(places), elements=st.floats(0, 0.5, width=32)))
        terms.append(Saying(places, shares, data.draw(st.floats(0, 0.5))))

    whole = coverage_nearby(terms, Neighbourhood.of(reading, reading, groups))
    part = coverage_nearby(terms, Neighbourhood.of(pool, reading, groups))

    assert part.tolist() == whole[pool].tolist()

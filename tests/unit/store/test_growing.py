import numpy as np
import pytest

from store.growing import GrowingArray


def test_a_view_does_not_change_when_rows_are_added():
    # given a view
    column = GrowingArray(np.int32)
    column.append([1, 2])
    before = column.view()
    # when rows are added, with and without a new block
    for value in range(3, 40):
        column.append([value])
    # then the view is as it was and the array has everything
    assert before.tolist() == [1, 2]
    assert column.view().tolist() == list(range(1, 40))


def test_a_view_cannot_be_written():
    column = GrowingArray(np.int32)
    column.append([1])
    with pytest.raises(ValueError, match="read-only"):
        column.view()[0] = 2


def test_a_matrix_grows_by_rows_and_may_have_no_columns():
    matrix, empty = GrowingArray(np.float32, 3), GrowingArray(np.float32, 0)
    matrix.append(np.ones(6, dtype=np.float32))
    assert matrix.view().shape == (2, 3)
    assert empty.view().shape == (0, 0)

import dataclasses

import numpy as np
import pytest

from memory.errors import InvalidInput
from memory.records import Scope
from services.fakes import fake_host
from store import generations, rows, spaces

BAD = {
    "nan": np.array([1, np.nan, 0, 0], dtype="<f4").tobytes(),
    "infinite": np.array([1, np.inf, 0, 0], dtype="<f4").tobytes(),
    "minus infinite": np.array([1, -np.inf, 0, 0], dtype="<f4").tobytes(),
    "zeros": bytes(16),
    "minus zeros": np.array([-0.0] * 4, dtype="<f4").tobytes(),
    "short": np.ones(3, dtype="<f4").tobytes(),
    "long": np.ones(5, dtype="<f4").tobytes(),
    "torn": np.ones(4, dtype="<f4").tobytes()[:-1],
    "empty": b"",
}
GOOD = np.array([0, 1, 0, 0], dtype="<f4").tobytes()


@pytest.fixture
def host(tmp_path):
    return fake_host(tmp_path)


def new_row(tx, host):
    space_id = spaces.ensure(Scope(tenant="default", spaces=("home",)), tx, at=host.clock())
    generation = generations.for_vectors(tx, model="small", dimension=4, at=host.clock())
    return rows.NewRow(
        space_id=space_id, kind="memory", group_key="ses_1", position=0, text="Ann likes tea.", vector=GOOD,
        generation_id=generation,
    )  # fmt: skip


@pytest.mark.parametrize("vector", BAD.values(), ids=BAD.keys())
def test_a_row_with_a_vector_that_cannot_be_compared_is_refused(host, vector):
    with pytest.raises(InvalidInput, match="vector"), host.store.write("default") as tx:
        rows.add_row(tx, dataclasses.replace(new_row(tx, host), vector=vector), at=host.clock())
    with host.store.read("default") as db:
        assert db.execute("SELECT count(*) FROM search_row").fetchone()[0] == 0


@pytest.mark.parametrize("vector", BAD.values(), ids=BAD.keys())
def test_a_vector_of_another_model_that_cannot_be_compared_is_refused(host, vector):
    # given a row with its vector, and a second model of the same length
    with host.store.write("default") as tx:
        row_id = rows.add_row(tx, new_row(tx, host), at=host.clock())
        tx.execute("INSERT INTO generation (model, dimension, state, created_at) VALUES ('next', 4, 'building', 0)")
        (following,) = tx.execute("SELECT id FROM generation WHERE model = 'next'").fetchone()
    # when it is to get a bad one of that
    with pytest.raises(InvalidInput, match="vector"), host.store.write("default") as tx:
        generations.add_vector(tx, row_id, following, vector, at=host.clock())
    # then it still has the first only
    with host.store.read("default") as db:
        kept = db.execute("SELECT data FROM vector").fetchall()
    assert [row["data"] for row in kept] == [GOOD]

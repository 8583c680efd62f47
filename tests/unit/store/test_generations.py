"""A generation is named by a number; any number may be asked for."""

import pytest

from memory.errors import NotFound
from services.fakes import fake_host
from store import generations


@pytest.mark.parametrize("number", [0, -1, 2**63 - 1, 2**63, 10**30])
def test_number_that_names_none_is_not_found(tmp_path, number):
    host = fake_host(tmp_path)

    with host.store.read("default") as db, pytest.raises(NotFound):
        generations.get(db, number)

    host.store.close()

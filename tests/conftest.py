"""Fixtures shared by all tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ops.launched import Launched, running


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launched]:
    """One real stack for all tests that only need some space of their own in it."""
    with running(tmp_path_factory.mktemp("stack") / "data") as one:
        yield one


@pytest.fixture
def space(request: pytest.FixtureRequest) -> str:
    """A space name of the test's own."""
    return request.node.name.replace("[", "-").replace("]", "")[:80]

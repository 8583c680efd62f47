"""What the tests of every layer find at hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.pipeline import Pipeline


@pytest.fixture
def pipeline(tmp_path: Path) -> Iterator[Pipeline]:
    """A store of its own, with everything that works on it in one process."""
    yield from _open(tmp_path)


@pytest.fixture
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pipeline]:
    """A second one, which shares nothing with the first."""
    yield from _open(tmp_path_factory.mktemp("other"))


def _open(folder: Path) -> Iterator[Pipeline]:
    # Imported where it is used, so that tests of the lower layers load nothing of the upper ones.
    from tests.pipeline import Pipeline

    one = Pipeline(folder)
    yield one
    one.host.store.close()

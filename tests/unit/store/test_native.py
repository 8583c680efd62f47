import _ctypes
from pathlib import Path

import pytest

from store import native


def _text(folder):
    path = folder / "scan.so"
    path.write_text("not a library")
    return path


@pytest.mark.parametrize(
    ("library", "reason"),
    [
        (lambda folder: folder / "missing.so", "cannot be loaded"),
        (_text, "cannot be loaded"),
        (lambda folder: Path(_ctypes.__file__), "lacks a function"),
    ],
)
def test_a_library_that_is_of_no_use_is_left_out_with_a_warning(tmp_path, caplog, library, reason):
    assert native.load(library(tmp_path)) is None
    assert "search goes on without its native part" in caplog.text
    assert reason in caplog.text

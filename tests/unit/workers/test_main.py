import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize("lane", ["beat", "background"])
@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"REDIS_URL": "gopher://r"}, "REDIS_URL must begin"),
        ({"MEMLANE_SWEEP_SECONDS": "soon"}, "MEMLANE_SWEEP_SECONDS"),
    ],
    ids=str,
)
def test_what_starting_again_cannot_mend_ends_a_worker_for_good_without_a_traceback(wrong, told, lane, tmp_path):
    environ = {**os.environ, "MEMLANE_DATA_DIR": str(tmp_path), **wrong}

    ended = subprocess.run(
        [sys.executable, "-m", "workers", lane], env=environ, capture_output=True, text=True, timeout=30, check=False
    )

    assert ended.returncode == 78, ended.stderr
    assert told in ended.stderr
    assert "Traceback" not in ended.stderr

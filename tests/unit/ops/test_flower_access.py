import stat

import pytest

from ops.flower_access import installed, password
from ops.part import CannotStart


def test_the_password_is_made_once_and_only_its_owner_reads_it(tmp_path):
    first = password(tmp_path)
    file = tmp_path / "run" / "flower.password"

    assert password(tmp_path) == first == file.read_text(encoding="utf-8").strip()
    assert len(first) >= 32
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_two_folders_have_two_passwords(tmp_path):
    assert password(tmp_path / "a") != password(tmp_path / "b")


def test_an_empty_file_lets_nobody_in(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "flower.password").touch()

    with pytest.raises(CannotStart, match="empty"):
        password(tmp_path)


def test_flower_is_part_of_the_lock():
    assert installed()

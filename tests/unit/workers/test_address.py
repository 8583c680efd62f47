import os
import shutil

import pytest

from memory.settings import Settings
from workers.address import SOCKET_PATH_BYTES, celery_url, choose_socket_file, redis_url, socket_file


def test_the_socket_is_in_the_data_folder(tmp_path):
    data = tmp_path / "d"
    if len(os.fsencode(data)) > 80:
        pytest.skip("the temporary folder is too deep here")
    assert choose_socket_file(data) == socket_file(data) == data / "run" / "broker.sock"


def test_a_deep_folder_gets_a_short_private_path_that_every_process_finds(tmp_path):
    data = tmp_path / ("ä" * 60)
    chosen = choose_socket_file(data)
    try:
        assert len(os.fsencode(chosen)) <= SOCKET_PATH_BYTES
        assert chosen.parent.stat().st_mode & 0o077 == 0
        assert socket_file(data) == choose_socket_file(data) == chosen
    finally:
        shutil.rmtree(chosen.parent)


def test_a_short_path_that_was_cleaned_away_is_chosen_anew(tmp_path):
    data = tmp_path / ("x" * 110)
    first = choose_socket_file(data)
    first.parent.rmdir()
    second = choose_socket_file(data)
    try:
        assert second.parent.is_dir()
        assert socket_file(data) == second
    finally:
        second.parent.rmdir()


@pytest.mark.parametrize(
    ("url", "celery"),
    [
        ("redis://u:p@h:1/2", "redis://u:p@h:1/2"),
        ("rediss://h/0", "rediss://h/0"),
        ("unix:///run/r.sock?db=3", "redis+socket:///run/r.sock?virtual_host=3"),
        ("unix://u:p@/run/r.sock", "redis+socket://u:p@/run/r.sock?virtual_host=0"),
    ],
)
def test_one_setting_gives_both_spellings(url, celery):
    settings = Settings(redis_url=url)
    assert redis_url(settings) == url
    assert celery_url(settings) == celery

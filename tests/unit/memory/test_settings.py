import pytest

from memory.errors import InvalidInput
from memory.settings import from_environ


@pytest.mark.parametrize("name", ["", "  "])
def test_a_data_folder_without_a_name_is_refused(name):
    with pytest.raises(InvalidInput):
        from_environ({"MEMLANE_DATA_DIR": name})
    with pytest.raises(InvalidInput):
        from_environ({}, data_dir=name)


@pytest.mark.parametrize(
    "url",
    ["http://:secret@x", "redis", "redis:/x", "redis://:secret@h:99999/0", "redis://:secret@h:port", "redis://[::1"],
)
def test_a_brokers_address_that_cannot_be_one_is_refused_and_not_repeated(url):
    with pytest.raises(InvalidInput, match="REDIS_URL") as refused:
        from_environ({"REDIS_URL": url})

    assert "secret" not in refused.value.message


@pytest.mark.parametrize("slots", ["0", "-1"])
def test_without_a_slot_for_pages_and_files_nothing_starts(slots):
    with pytest.raises(InvalidInput) as refused:
        from_environ({"MEMLANE_SOURCE_SLOTS": slots})

    assert refused.value.message == f"MEMLANE_SOURCE_SLOTS must be 1 or more, not {slots}."
    assert from_environ({"MEMLANE_SOURCE_SLOTS": "1"}).source_slots == 1

import pytest

from memory.errors import InvalidInput
from memory.inventory import LOCAL
from memory.settings import Settings
from services import inventory


def test_without_a_file_there_is_one_node():
    assert inventory.read(Settings()) == LOCAL


def test_the_file_of_the_settings_is_read(tmp_path):
    path = tmp_path / "fleet.toml"
    path.write_text('[[node]]\nname = "a0"\nembed_port = 1\n')

    assert [node.name for node in inventory.read(Settings(nodes=str(path)))] == ["a0"]


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_a_file_that_cannot_be_read_is_named(tmp_path, content):
    path = tmp_path / "fleet.toml"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(InvalidInput, match=r"fleet\.toml cannot be read") as refused:
        inventory.read(Settings(nodes=str(path)))
    assert refused.value.details["field"] == "MEMLANE_NODES"

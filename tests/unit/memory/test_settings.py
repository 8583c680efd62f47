import pytest

from memory.errors import InvalidInput
from memory.settings import from_environ


@pytest.mark.parametrize("name", ["", "  "])
def test_a_data_folder_without_a_name_is_refused(name):
    with pytest.raises(InvalidInput):
        from_environ({"MEMLANE_DATA_DIR": name})
    with pytest.raises(InvalidInput):
        from_environ({}, data_dir=name)

import pytest

from memlane.previews import KEPT_SECONDS, Previews, fingerprint, state_file


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deep" / "previews.json"


def test_a_preview_is_taken_once(path):
    Previews(path, now=0.0).keep("k", ["a", "b"])

    assert Previews(path, now=1.0).take("k") == ["a", "b"]
    assert Previews(path, now=1.0).take("k") is None


@pytest.mark.parametrize("now", [KEPT_SECONDS, -1.0])
def test_a_preview_that_is_not_fresh_counts_for_nothing(path, now):
    Previews(path, now=0.0).keep("k", ["a"])

    assert Previews(path, now=now).take("k") is None


@pytest.mark.parametrize("damaged", ["", "[]", '{"k": 1}', '{"k": {}}', "{"])
def test_a_damaged_file_holds_no_preview_and_is_replaced(path, damaged):
    path.parent.mkdir()
    path.write_text(damaged)

    assert Previews(path, now=0.0).take("k") is None
    Previews(path, now=0.0).keep("k", ["a"])
    assert Previews(path, now=0.0).take("k") == ["a"]


def test_the_file_holds_no_phrase_and_no_key(path):
    Previews(path, now=0.0).keep(fingerprint(phrase="secret plan", key="token"), ["mem_1"])

    assert not {"secret", "plan", "token"} & set(path.read_text().replace('"', " ").split())


def test_the_file_lies_in_the_users_state_folder(tmp_path):
    assert state_file({"XDG_STATE_HOME": str(tmp_path)}) == tmp_path / "memlane" / "previews.json"

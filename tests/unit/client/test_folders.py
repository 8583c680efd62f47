import os
import socket
from pathlib import Path

import pytest

from memlane.folders import MOST_ID_CHARS, Found, Skipped, Unreadable, walk


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "notes"
    (root / "sub").mkdir(parents=True)
    (root / "a.md").write_text("alpha")
    (root / "sub" / "with space 🎉.md").write_text("beta")
    return root


def found(*paths):
    return [entry for entry in walk(paths) if isinstance(entry, Found)]


def reasons(*paths):
    return {Path(entry.shown).name: entry.reason for entry in walk(paths) if isinstance(entry, Skipped)}


def test_every_file_is_found_once_with_an_id_relative_to_the_folder(folder):
    assert [(entry.custom_id, entry.filepath, entry.title) for entry in found(folder)] == [
        ("file:notes/a.md", "notes/a.md", "a.md"),
        ("file:notes/sub/with space 🎉.md", "notes/sub/with space 🎉.md", "with space 🎉.md"),
    ]


def test_a_file_given_by_name_has_the_id_it_has_in_its_folder(folder):
    assert found(folder / "a.md")[0].custom_id == found(folder)[0].custom_id


def test_the_working_folder_is_named_by_its_canonical_name(folder, monkeypatch):
    monkeypatch.chdir(folder)

    assert found(Path())[0].custom_id == "file:notes/a.md"
    assert found(Path())[0].shown == "a.md"


def test_links_are_reported_and_never_followed(folder, tmp_path):
    (tmp_path / "outside.txt").write_text("secret")
    (folder / "node_modules").mkdir()
    (folder / "node_modules" / "x.md").write_text("x")
    for name, target in {
        "alias.md": "a.md",
        "up": "..",
        "self": ".",
        "broken": "nowhere",
        "circle": "circle",
        "out": str(tmp_path / "outside.txt"),
        "sub/again": "../sub",
        "into": "node_modules/x.md",
    }.items():
        (folder / name).symlink_to(target)

    told = reasons(folder)

    assert len(found(folder)) == 2
    assert told["alias.md"] == "link to a.md, read there"
    assert "loop" in told["up"]
    assert "loop" in told["self"]
    assert "loop" in told["circle"]
    assert "loop" in told["again"]
    assert told["broken"] == "broken link"
    assert told["out"] == "link that leads outside the folder"
    assert told["into"] == "link to something that is skipped"


def test_a_link_given_by_name_is_followed(folder, tmp_path):
    (tmp_path / "shortcut").symlink_to(folder)

    assert found(tmp_path / "shortcut")[0].custom_id == "file:notes/a.md"


@pytest.mark.parametrize("name", [".git", "node_modules", "__pycache__", ".venv", "venv", "vendor", "x.egg-info"])
def test_hidden_and_vendor_folders_are_skipped_whole(folder, name):
    (folder / name).mkdir()
    (folder / name / "inner.md").write_text("inner")

    assert len(found(folder)) == 2
    assert name in reasons(folder)


@pytest.mark.parametrize("marker", ["pyvenv.cfg", "CACHEDIR.TAG"])
def test_a_marked_folder_is_skipped_whatever_its_name(folder, marker):
    (folder / "tools").mkdir()
    (folder / "tools" / marker).write_text("")

    assert reasons(folder) == {"tools": f"folder marked by {marker}"}


def test_hidden_files_are_skipped_below_and_read_when_named(folder):
    (folder / ".env").write_text("A=1")

    assert reasons(folder) == {".env": "hidden"}
    assert [entry.title for entry in found(folder / ".env")] == [".env"]


@pytest.mark.timeout(10)
def test_pipes_sockets_and_devices_are_skipped_without_blocking(folder):
    os.mkfifo(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "socket"))

        assert reasons(folder) == {"pipe": "not a regular file", "socket": "not a regular file"}
        assert "not a regular file" in reasons(folder / "pipe", Path("/dev/zero"))["zero"]


def test_a_file_given_twice_is_read_once(folder):
    again = list(walk([folder, folder / "a.md", folder]))

    assert len([entry for entry in again if isinstance(entry, Found)]) == 2
    assert len([entry for entry in again if isinstance(entry, Skipped)]) == 2


def test_two_files_of_one_id_do_not_replace_each_other(folder, tmp_path):
    other = tmp_path / "elsewhere" / "notes"
    other.mkdir(parents=True)
    (other / "a.md").write_text("another")

    clash = [entry for entry in walk([folder, other]) if isinstance(entry, Unreadable)]

    assert [entry.reason.split(":")[0] for entry in clash] == [f"would replace {folder / 'a.md'}"]


def test_a_folder_that_is_gone_is_named(tmp_path):
    assert [type(entry) for entry in walk([tmp_path / "gone"])] == [Unreadable]


def test_a_name_that_is_not_utf8_can_be_sent(tmp_path):
    (tmp_path / os.fsdecode(b"caf\xe9.md")).write_text("x")

    (entry,) = found(tmp_path)

    assert entry.title == "caf\\udce9.md"
    assert entry.custom_id.encode("utf-8")


def test_an_id_too_long_for_the_server_is_shortened_and_stays_unique(tmp_path):
    deep = tmp_path / "n" / ("d" * 200) / ("e" * 200)
    deep.mkdir(parents=True)
    (deep / "a.md").write_text("a")
    (deep / "b.md").write_text("b")

    ids = {entry.custom_id for entry in found(tmp_path / "n")}

    assert len(ids) == 2
    assert all(len(one) <= MOST_ID_CHARS for one in ids)

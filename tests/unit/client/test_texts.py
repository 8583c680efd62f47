import os

import pytest

from memlane.texts import MOST_BYTES, Empty, NotText, decoded, read_file

TEXT = "řemeslník ★ 断路器 🎉\r\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_text_is_read_in_its_encoding(encoding):
    assert decoded(TEXT.encode(encoding)) == TEXT


def test_utf16_of_either_byte_order_is_read_by_its_mark():
    assert decoded(b"\xfe\xff" + TEXT.encode("utf-16-be")) == TEXT


@pytest.mark.parametrize(
    "raw",
    [b"\x89PNG\r\n\x1a\n\x00", b"a\x00b", b"caf\xe9", b"%PDF-1.7\nplain", b"\xff\xfe\x00", "x\x00".encode("utf-16")],
)
def test_what_is_not_text_is_refused(raw):
    with pytest.raises(NotText):
        decoded(raw)


@pytest.mark.parametrize("raw", [b"", b" \n\t", b"\xef\xbb\xbf"])
def test_nothing_is_refused_as_empty(raw):
    with pytest.raises(Empty):
        decoded(raw)


def test_a_large_film_is_known_by_its_first_bytes(tmp_path):
    with (tmp_path / "film").open("wb") as file:
        file.write(b"\x00\x01")
        file.truncate(MOST_BYTES * 4)

    with pytest.raises(NotText):
        read_file(tmp_path / "film")


def test_a_text_over_the_limit_names_it(tmp_path):
    with (tmp_path / "log").open("wb") as file:
        file.write(b"x" * (MOST_BYTES + 1))

    with pytest.raises(OSError, match="16 MiB"):
        read_file(tmp_path / "log")


@pytest.mark.timeout(10)
@pytest.mark.parametrize("become", [os.mkdir, os.mkfifo])
def test_a_file_that_became_something_else_is_not_read(tmp_path, become):
    become(tmp_path / "was-a-file")

    with pytest.raises(OSError, match="regular file"):
        read_file(tmp_path / "was-a-file")


def test_a_link_put_in_place_of_the_file_is_not_followed(tmp_path):
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "a.md").symlink_to("secret")

    with pytest.raises(OSError, match="symbolic links"):
        read_file(tmp_path / "a.md")

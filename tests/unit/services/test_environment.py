from urllib.parse import unquote, urlsplit

import pytest

from memory.errors import InvalidInput
from memory.settings import secret_variables
from services.environment import read_settings


@pytest.fixture
def secret(tmp_path):
    file = tmp_path / "secret"
    file.write_text("s3 cr/t\n", encoding="utf-8")
    return str(file)


@pytest.mark.parametrize("name", secret_variables())
def test_every_secret_is_read_from_the_file_that_is_named(name, tmp_path):
    text = "redis://:s3cret@r" if name == "REDIS_URL" else "s3 cr/t"
    (tmp_path / "file").write_text(f"{text}\n", encoding="utf-8")

    settings = read_settings({f"{name}_FILE": str(tmp_path / "file")})

    assert text in vars(settings).values()
    assert text not in repr(settings)


def test_what_is_no_secret_is_not_read_from_a_file(secret):
    assert read_settings({"MEMLANE_NODE_FILE": secret}).node == "local"


def test_a_variable_wins_over_its_file_and_an_option_over_both(secret):
    environ = {"MEMLANE_NODE_KEY": "set", "MEMLANE_NODE_KEY_FILE": secret}

    assert read_settings(environ).node_key == "set"
    assert read_settings(environ, node_key="given").node_key == "given"


def test_an_empty_variable_leaves_the_word_to_its_file(secret):
    assert read_settings({"MEMLANE_NODE_KEY": "", "MEMLANE_NODE_KEY_FILE": secret}).node_key == "s3 cr/t"


@pytest.mark.parametrize("content", [None, b"", b" \n", b"\xff\xfe"])
def test_a_file_that_holds_no_secret_is_refused_by_name_and_not_quoted(content, tmp_path):
    file = tmp_path / "secret"
    if content is not None:
        file.write_bytes(content)

    with pytest.raises(InvalidInput, match="MEMLANE_NODE_KEY_FILE") as refused:
        read_settings({"MEMLANE_NODE_KEY_FILE": str(file)})

    assert refused.value.details["field"] == "MEMLANE_NODE_KEY_FILE"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("redis://redis:6379/0", "redis://:p%2Fw%40@redis:6379/0"),
        ("rediss://ana@redis/1", "rediss://ana:p%2Fw%40@redis/1"),
        ("redis://:own@redis:6379", "redis://:own@redis:6379"),
        ("redis://redis", "redis://:p%2Fw%40@redis"),
        ("unix:///run/redis.sock", "unix:///run/redis.sock"),
        ("", ""),
    ],
)
def test_the_password_goes_into_an_address_that_names_none(url, expected):
    assert read_settings({"REDIS_URL": url, "REDIS_PASSWORD": "p/w@"}).redis_url == expected


def test_a_password_of_any_letters_is_read_back_whole():
    password = "pä ss%2F:@/?#[]"

    url = read_settings({"REDIS_URL": "redis://h:1/0", "REDIS_PASSWORD": password}).redis_url

    assert unquote(urlsplit(url).password) == password

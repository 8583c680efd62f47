"""A name in an address comes back exactly as it was encoded, whatever is in it."""

from urllib.parse import quote

import pytest
from flask import Flask
from flask.testing import FlaskClient

from api import path_names


@pytest.fixture
def client() -> FlaskClient:
    app = Flask("names")
    path_names.register(app)
    app.add_url_rule("/tags/<name>", "tag", lambda name: {"tag": name})
    app.add_url_rule("/tags/<name>/inner", "inner", lambda name: {"inner": name})
    app.add_url_rule("/files/<path:ref>", "file", lambda ref: {"file": ref})
    return FlaskClient(app)


@pytest.mark.parametrize(
    "name",
    ["断路器", "مشروع", "A b", "a-b", "a/b", "a//b", "/a", "a%2Fb", "a%252Fb", "100%", "a?b#c", "a+b", "inner",
     "a/inner", "..", "%", "%zz", "é", "a;b=c", "a&b"],
)  # fmt: skip
def test_an_encoded_name_is_one_step(client, name):
    assert client.get(f"/tags/{quote(name, safe='')}").get_json() == {"tag": name}
    assert client.get(f"/tags/{quote(name, safe='')}/inner").get_json() == {"inner": name}
    assert client.get(f"/files/{quote(name, safe='')}").get_json() == {"file": name}


def test_a_slash_that_is_not_encoded_parts_steps(client):
    assert client.get("/tags/a/inner").get_json() == {"inner": "a"}
    assert client.get("/tags/a/b").status_code == 404
    assert client.get("/files/a/b%2Fc%25").get_json() == {"file": "a/b/c%"}


def test_without_the_address_as_sent_the_decoded_path_counts(client):
    environment = {"PATH_INFO": "/tags/100%", "REQUEST_URI": "", "RAW_URI": ""}
    assert client.get("/", environ_overrides=environment).get_json() == {"tag": "100%"}

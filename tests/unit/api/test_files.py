"""Files as they are sent and given back: names that hurt, fields that are wrong, sizes, repeats, and other people's."""

import io
import json
from dataclasses import replace

import pytest

from api.app import create_app
from api.downloads import disposition
from memory.errors import InvalidInput
from services.uploads import safe_name
from tests.shape import assert_refused

# The test client and a form that is refused in the middle leave their temporary files to the collector.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
MARKDOWN = b"# Crane 4\n\nThe limit is 55 kg.\n"


def send(client, name="note.md", body=MARKDOWN, *, headers=None, **fields):
    data = {**fields, "file": (io.BytesIO(body), name)}
    return client.post("/v3/documents/file", data=data, content_type="multipart/form-data", headers=headers)


def document(client, answer):
    assert answer.status_code == 202, answer.json
    return client.get(f"/v3/documents/{answer.json['id']}").json


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("正文.md", "正文.md"),
        ("фото.MD", "фото.MD"),
        ("cafe\u0301.md", "caf\u00e9.md"),
        (".md", ".md"),
        ("../../etc/x.md", "x.md"),
        ("CON.md", "CON.md"),
        ("a\u202egnp.md", "agnp.md"),
        ("x" * 300 + ".md", "x" * 252 + ".md"),
        ("no ending", "no ending"),
    ],
)
def test_any_name_is_taken_as_a_title_and_never_as_a_path(client, name, title):
    answer = send(client, name)
    assert document(client, answer)["title"] == title
    # and it is given back under that name, as something to save
    back = client.get(f"/v3/documents/{answer.json['id']}/file")
    assert back.data == MARKDOWN
    header = back.headers["Content-Disposition"]
    assert header.startswith("attachment;")
    assert header.isascii()
    assert "\n" not in header
    assert back.headers["Content-Security-Policy"].startswith("sandbox")


def test_equal_files_under_two_names_are_two_documents(client):
    assert send(client, "正文.md").json["id"] != send(client, "文件.md").json["id"]


def test_every_field_of_the_official_client_is_taken(client):
    answer = send(
        client, containerTag="yard", customId="crane-4", metadata=json.dumps({"team": "yard", "n": 2, "hot": True}),
        filepath="/manuals/crane.md", fileType="text", mimeType="text/markdown", taskType="memory", dreaming="instant",
        entityContext="a crane", filterByMetadata="{}", useAdvancedProcessing="true",
    )  # fmt: skip
    found = document(client, answer)
    assert found["containerTags"] == ["yard"]
    assert found["customId"] == "crane-4"
    assert found["metadata"] == {"team": "yard", "n": 2, "hot": True}
    assert found["filepath"] == "/manuals/crane.md"
    assert found["status"] == "queued"
    assert found["content"] == ""


@pytest.mark.parametrize(("tags", "space"), [("yard", "yard"), ('["yard"]', "yard"), ("a,b", "a,b")])
def test_tags_are_one_name_or_a_json_list(client, tags, space):
    assert document(client, send(client, containerTags=tags))["containerTags"] == [space]


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"metadata": "{"}, "metadata"),
        ({"metadata": "[1]"}, "metadata"),
        ({"metadata": '{"a": NaN}'}, "metadata"),
        ({"metadata": '{"a": "\\u0000"}'}, "metadata"),
        ({"metadata": '{"a": {"b": 1}}'}, "metadata.a"),
        ({"customId": "a b\x00"}, "customId"),
        ({"customID": "x"}, "customId"),
        ({"containerTags": '["a", "b"]'}, "containerTags"),
        ({"containerTags": "[1]"}, "containerTags[0]"),
        ({"containerTag": ""}, "containerTag"),
        ({"wait": "yes"}, "wait"),
        ({"fileType": "docx"}, "fileType"),
        ({"dreaming": "never"}, "dreaming"),
        ({"documentDate": "soon"}, "documentDate"),
        ({"fyle": "x"}, "fyle"),
        ({"mimeType": "x" * 300}, "mimeType"),
    ],
)
def test_a_wrong_field_is_named_and_nothing_is_kept(client, fields, named):
    error = assert_refused(send(client, **fields), 400)
    if named != "customId" or "customID" not in fields:
        assert error["details"]["field"] == named
        assert client.get("/v3/documents").json["pagination"]["totalItems"] == 0


def test_a_field_that_is_sent_twice_is_refused(client):
    data = [("containerTag", "a"), ("containerTag", "b"), ("file", (io.BytesIO(MARKDOWN), "a.md"))]
    from werkzeug.datastructures import MultiDict

    answer = client.post("/v3/documents/file", data=MultiDict(data), content_type="multipart/form-data")
    assert assert_refused(answer, 400)["details"]["field"] == "containerTag"


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({}, "file"),
        ({"file": "text and no file"}, "file"),
        ({"file": (io.BytesIO(b""), "empty.md")}, "file"),
        ({"other": (io.BytesIO(b"x"), "a.md")}, "file"),
        ({"file": (io.BytesIO(b"x"), "...")}, "file"),
    ],
)
def test_a_form_without_one_whole_file_is_refused(client, data, field):
    answer = client.post("/v3/documents/file", data=data, content_type="multipart/form-data")
    assert assert_refused(answer, 400)["details"]["field"] == field


@pytest.mark.parametrize("content_type", ["application/json", "text/plain", "multipart/form-data", "multipart/mixed"])
def test_what_is_no_form_is_refused(client, content_type):
    assert_refused(client.post("/v3/documents/file", data=b'{"file": "x"}', content_type=content_type), 400)


def test_a_form_that_is_cut_off_is_refused(client):
    answer = client.post(
        "/v3/documents/file",
        data=b'--q\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\nhalf',
        content_type="multipart/form-data; boundary=q",
    )
    assert_refused(answer, 400)


def test_a_file_over_the_limit_is_refused_and_one_at_the_limit_is_not(host):
    small = create_app(replace(host, settings=replace(host.settings, max_file_bytes=1000))).test_client()
    assert send(small, body=b"x" * 1000).status_code == 202
    assert_refused(send(small, body=b"x" * 1001), 413)
    # and one that is far over it is not read to its end
    assert_refused(send(small, body=b"x" * 3_000_000), 413)


def test_a_file_may_be_larger_than_any_other_body(client, settings):
    assert send(client, body=b"x" * (settings.max_body_bytes * 2)).status_code == 202


def test_many_parts_are_refused(client):
    fields = {f"field{n}": "x" for n in range(100)}
    assert_refused(send(client, **fields), 413)


def test_an_image_is_refused_at_once(client):
    error = assert_refused(send(client, "a.md", b"\x89PNG\r\n\x1a\n"), 400)
    assert "a PNG image" in error["error"]


def test_an_equal_file_under_its_custom_id_adds_nothing_and_another_is_a_revision(client):
    first = send(client, customId="crane").json
    assert send(client, customId="crane").json["id"] == first["id"]
    assert client.get(f"/v3/documents/{first['id']}").json["latestRevision"] == 1
    send(client, customId="crane", body=b"# Crane 4\n\nThe limit is 60 kg.\n")
    assert client.get(f"/v3/documents/{first['id']}").json["latestRevision"] == 2


def test_a_repeated_request_is_answered_as_the_first_and_another_under_its_key_refused(client):
    first = send(client, headers={"Idempotency-Key": "k1"})
    again = send(client, headers={"Idempotency-Key": "k1"})
    assert again.json["id"] == first.json["id"]
    assert client.get("/v3/documents").json["pagination"]["totalItems"] == 1
    assert_refused(send(client, body=b"other", headers={"Idempotency-Key": "k1"}), 409)
    assert_refused(send(client, customId="x", headers={"Idempotency-Key": "k1"}), 409)


def test_a_document_that_was_sent_as_text_has_no_file(client):
    sent = client.post("/v3/documents", json={"content": "text"}).json
    assert "content" in assert_refused(client.get(f"/v3/documents/{sent['id']}/file"), 404)["error"]


def test_another_space_and_an_unknown_id_are_not_told_apart(client):
    sent = send(client, containerTag="mine").json
    here = client.get(f"/v3/documents/{sent['id']}/file", query_string={"containerTag": "other"})
    unknown = client.get(f"/v3/documents/doc_{'0' * len(sent['id'][4:])}/file", query_string={"containerTag": "other"})
    assert assert_refused(here, 404)["code"] == assert_refused(unknown, 404)["code"]


@pytest.mark.parametrize("declared", ["text/html", "image/svg+xml", "not a type", "text/x\r\nX-Evil: 1", "a/b" * 200])
def test_a_media_type_of_a_stranger_does_no_harm(client, declared):
    answer = send(client, "a.html", b"<html><script>alert(1)</script>", mimeType=declared[:250])
    if answer.status_code == 202:
        back = client.get(f"/v3/documents/{answer.json['id']}/file")
        assert back.headers["Content-Disposition"].startswith("attachment")
        assert back.headers["X-Content-Type-Options"] == "nosniff"
        assert "X-Evil" not in back.headers
    else:
        assert_refused(answer, 400)


@pytest.mark.parametrize(
    ("sent", "name"),
    [
        ("C:\\Users\\ana\\x.md", "x.md"),
        ("/etc/passwd", "passwd"),
        ('quote".md', 'quote".md'),
        ("a\r\nSet-Cookie: x.md", "aSet-Cookie: x.md"),
        ("  x.md ", "x.md"),
    ],
)
def test_a_name_is_made_safe(sent, name):
    assert safe_name(sent) == name
    header = disposition(safe_name(sent))
    assert header.isascii()
    assert header.isprintable()
    assert header.count('"') == 2


@pytest.mark.parametrize("sent", ["", None, "..", ".", "a/", "\x00", " . "])
def test_a_name_of_nothing_is_refused(sent):
    with pytest.raises(InvalidInput):
        safe_name(sent)

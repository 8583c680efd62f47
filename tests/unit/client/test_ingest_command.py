import io
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.folders import difficult


@pytest.fixture
def folder(tmp_path):
    """The folder of case CLI-01, but for the unreadable file, which no root has."""
    root = difficult(tmp_path / "site notes", a="alpha", note="beta")
    os.mkfifo(root / "pipe")
    return root


@pytest.mark.timeout(30)
def test_a_difficult_folder_ends_with_a_sum_and_a_reason_for_everything(server, memlane, folder):
    ran = memlane("ingest", folder)

    assert ran.code == 0
    assert ran.out.splitlines()[-1] == "2 ingested, 9 skipped, 0 failed"
    assert sorted(one.body["customId"] for one in server.sent("POST", "/v3/documents")) == [
        "file:site notes/a.md",
        "file:site notes/with space 🎉.txt",
    ]
    for name in ("link.md", "parent", "broken", "outside", ".git", "node_modules", "picture.png", "empty.md", "pipe"):
        assert f"{name}: " in ran.out
    assert ran.err == ""


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that even root cannot read from")
def test_an_unreadable_file_is_named_and_the_exit_code_is_not_zero(server, memlane, folder):
    ran = memlane("ingest", folder, "/proc/self/mem")

    assert ran.code == 1
    assert "failed   /proc/self/mem: " in ran.err
    assert ran.out.splitlines()[-1] == "2 ingested, 9 skipped, 1 failed"


def test_the_second_time_everything_is_unchanged(server, memlane, folder):
    memlane("ingest", folder)

    ran = memlane("ingest", folder)

    assert ran.out.splitlines()[-1] == "0 ingested, 9 skipped, 0 failed, 2 unchanged"
    assert len(server.documents) == 2


def test_json_lists_every_entry_and_the_sum(server, memlane, folder):
    ran = memlane("ingest", folder, "--json")

    assert ran.json["summary"] == {"ingested": 2, "skipped": 9, "failed": 0, "unchanged": 0}
    assert len(ran.json["documents"]) == 11
    assert all(one["id"] for one in ran.json["documents"] if one["state"] == "ingested")


def test_a_failed_document_is_1_and_named(server, memlane, folder):
    server.fail = ("file:site notes/a.md",)

    ran = memlane("ingest", folder)

    assert ran.code == 1
    assert "a.md: The text could not be read." in ran.err
    assert ran.out.splitlines()[-1] == "1 ingested, 9 skipped, 1 failed"


def test_a_server_that_goes_away_is_3_and_the_sum_is_still_told(server, memlane, folder):
    server.faults.extend([None, None])

    ran = memlane("ingest", folder)

    assert ran.code == 3
    assert "Cannot reach" in ran.err
    assert ran.out.splitlines()[-1] == "0 ingested, 9 skipped, 2 failed"


def stdin(monkeypatch, raw):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(raw)))


def test_standard_input_is_a_document(server, memlane, monkeypatch):
    stdin(monkeypatch, "přes rouru".encode())

    ran = memlane(
        "ingest", "-", "--custom-id", "mine", "--container-tag", "team", "--date", "2026-05-04T10:00:00+02:00"
    )

    assert ran.out == "1 ingested, 0 skipped, 0 failed\n"
    assert server.requests[0].body == {
        "content": "přes rouru",
        "containerTag": "team",
        "customId": "mine",
        "documentDate": "2026-05-04T10:00:00+02:00",
    }


@pytest.mark.parametrize("raw", [b"", b"\x00\x01"])
def test_standard_input_that_is_no_text_is_refused(server, memlane, monkeypatch, raw):
    stdin(monkeypatch, raw)

    assert memlane("ingest", "-").code == 2
    assert not server.requests


def test_a_warning_of_the_server_is_shown_once(server, memlane, folder):
    for name in ("doc_0", "doc_1"):
        server.documents[name] = {"id": name, "customId": None, "status": "done"}
        server.faults.append((202, {"id": name, "status": "queued", "warning": "Nothing consumes the queue host."}, {}))

    ran = memlane("ingest", folder)

    assert ran.err.splitlines() == ["Warning: Nothing consumes the queue host."]


def test_a_url_is_handed_in_as_a_page_beside_files(server, memlane, folder):
    page = "https://example.org/guide?x=1#crane"

    ran = memlane("ingest", folder / "a.md", page, "--container-tag", "team")

    assert (ran.code, ran.out) == (0, "2 ingested, 0 skipped, 0 failed\n")
    assert server.sent("POST", "/v3/documents")[0].body == {
        "url": page,
        "containerTag": "team",
        "customId": "page:https://example.org/guide?x=1",
    }


def test_a_page_that_is_named_twice_is_sent_once_and_the_next_time_again(server, memlane):
    pages = ("HTTP://example.org/a#1", "HTTP://example.org/a#2")

    for _ in range(2):
        assert memlane("ingest", *pages).out == "1 ingested, 0 skipped, 0 failed\n"

    assert len(server.sent("POST", "/v3/documents")) == 2
    assert len(server.documents) == 1


def test_a_long_url_and_one_with_an_id_of_its_own(server, memlane):
    memlane("ingest", "https://example.org/" + "x" * 200)
    memlane("ingest", "https://example.org/", "--custom-id", "guide")

    first, second = (one.body["customId"] for one in server.sent("POST", "/v3/documents"))
    assert (first[:12], len(first), second) == ("page:sha256-", 76, "guide")


@pytest.mark.parametrize(
    "pages", [("https://a.test/", "https://b.test/", "--custom-id", "x"), ("https://a.test/", "-")]
)
def test_pages_that_do_not_go_together_with_the_rest_are_refused(server, memlane, pages):
    assert memlane("ingest", *pages).code == 2
    assert not server.requests


def test_a_page_that_cannot_be_fetched_is_named_with_the_reason(server, memlane):
    server.fail = ("page:https://example.org/gone",)

    ran = memlane("ingest", "https://example.org/gone")

    assert ran.code == 1
    assert ran.err.splitlines() == ["failed   https://example.org/gone: The text could not be read."]

import os
from pathlib import Path

import pytest

from memlane import Client
from memlane.folders import Found, walk
from memlane.ingest import WINDOW, How, Ingest
from memlane.progress import Quiet


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "notes"
    root.mkdir()
    (root / "a.md").write_text("alpha")
    (root / "b.txt").write_bytes("beta".encode("utf-16"))
    return root


@pytest.fixture
def run(server):
    with Client() as client:
        yield lambda entries, **how: Ingest(client, How(**how), Quiet(), pause=lambda seconds: None).files(entries)


def test_files_are_handed_in_with_id_path_title_and_what_was_said(server, run, folder):
    report = run(walk([folder]), space="team", date="2026-05-04", metadata={"kind": "note"})

    assert report.counts() == {"ingested": 2, "skipped": 0, "failed": 0, "unchanged": 0}
    assert [one.body for one in server.sent("POST", "/v3/documents")] == [
        {
            "content": text,
            "containerTag": "team",
            "customId": f"file:notes/{name}",
            "title": name,
            "filepath": f"notes/{name}",
            "documentDate": "2026-05-04",
            "metadata": {"kind": "note"},
        }
        for name, text in (("a.md", "alpha"), ("b.txt", "beta"))
    ]


def test_what_the_server_had_is_unchanged_and_a_changed_file_is_not(run, folder):
    run(walk([folder]))
    (folder / "a.md").write_text("alpha, revised")

    report = run(walk([folder]))

    assert report.counts() == {"ingested": 1, "skipped": 0, "failed": 0, "unchanged": 1}


def test_waiting_follows_each_job_to_its_end_a_window_at_a_time(server, run, tmp_path):
    server.looks = 3
    for number in range(WINDOW + 2):
        (tmp_path / f"{number:02d}.md").write_text(f"text {number}")

    report = run(walk([tmp_path]))

    assert report.counts()["ingested"] == WINDOW + 2
    asked = [one.path for one in server.requests if one.path.startswith("/v1/jobs/")]
    assert len(asked) == 3 * (WINDOW + 2)
    assert len(set(asked[:WINDOW])) == WINDOW


def test_a_job_that_failed_is_a_failed_document_with_the_reason(server, run, folder):
    server.fail = ("file:notes/a.md",)

    report = run(walk([folder]))

    assert [(one.state, one.reason) for one in report.outcomes if one.state == "failed"] == [
        ("failed", "The text could not be read.")
    ]
    assert report.exit_code() == 1


def test_a_refused_document_does_not_stop_the_others(server, run, folder):
    server.faults.append((413, {"error": "Too large.", "code": "too_large", "details": {"hint": "Split it."}}, {}))

    report = run(walk([folder]))

    assert report.counts()["ingested"] == 1
    assert [one.reason for one in report.outcomes if one.state == "failed"] == ["Too large. Split it."]


def test_a_refused_key_stops_the_run_and_names_what_was_not_sent(server, run, folder):
    server.key = "wanted"

    report = run(walk([folder]))

    assert len(server.requests) == 1
    assert [one.reason for one in report.outcomes] == ["A valid API key is needed.", "not sent"]
    assert report.exit_code() == 1


def test_a_file_that_changed_into_a_folder_after_it_was_found_is_named(run, folder):
    entries = list(walk([folder]))
    (folder / "a.md").unlink()
    (folder / "a.md").mkdir()

    report = run(entries)

    (failed,) = [one for one in report.outcomes if one.state == "failed"]
    assert failed.path.endswith("a.md")
    assert report.exit_code() == 1
    assert report.counts()["ingested"] == 1


@pytest.mark.timeout(10)
def test_a_file_that_changed_into_a_pipe_does_not_block(run, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    entry = Found(path=tmp_path / "pipe", shown="pipe", custom_id="file:pipe", filepath="pipe", title="pipe")

    assert run([entry]).counts()["failed"] == 1


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that even root cannot read from")
def test_an_unreadable_file_is_named(run):
    report = run(walk([Path("/proc/self/mem")]))

    assert [(one.path, one.state) for one in report.outcomes] == [("/proc/self/mem", "failed")]


def test_no_wait_asks_for_no_job(server, run, folder):
    report = run(walk([folder]), wait=False)

    assert {one.method for one in server.requests} == {"POST"}
    assert report.counts()["ingested"] == 2


def test_a_document_without_a_job_is_followed_by_itself(server, run, folder):
    (folder / "b.txt").unlink()
    server.documents["doc_x"] = {"id": "doc_x", "customId": None, "status": "failed", "errorMessage": "Broken."}
    server.faults.append((202, {"id": "doc_x", "status": "queued", "warning": "The queue is down."}, {}))

    report = run(walk([folder]))

    assert [(one.state, one.reason) for one in report.outcomes] == [("failed", "Broken.")]
    assert report.warnings == ["The queue is down."]


def test_a_warning_is_told_once_and_before_anything_is_waited_for(server, folder):
    for number in range(2):
        warned = {"id": f"doc_{number}", "status": "queued", "warning": "Nothing consumes the queue host."}
        server.documents[warned["id"]] = {"id": warned["id"], "customId": None, "status": "done"}
        server.faults.append((202, warned, {}))
    told = []

    with Client() as client:
        Ingest(client, How(), Progress(told), warn=told.append).files(walk([folder]))

    assert told == ["Nothing consumes the queue host.", "moved", "moved"]


class Progress(Quiet):
    def __init__(self, told):
        self._told = told

    def moved(self, path, status, done, total):
        self._told.append("moved")


def test_nothing_to_ingest_is_not_a_success(run, tmp_path):
    assert run(walk([tmp_path])).exit_code() == 4


def test_a_file_that_only_the_server_can_read_is_sent_as_it_is(server, run, tmp_path):
    (tmp_path / "plan.pdf").write_bytes(b"%PDF-1.7 \x00 plan")
    (tmp_path / "latin.txt").write_bytes("Gr\u00fc\u00dfe".encode("latin-1"))
    (tmp_path / "\u6b63\u6587.csv").write_bytes(b"a,b\n1,2\n")
    (tmp_path / "film.mp4").write_bytes(b"\x00\x00\x00\x18ftypmp42")
    (tmp_path / "empty.pdf").write_bytes(b"")
    report = run(walk([tmp_path]), space="team", date="2026-05-04", metadata={"a": "b"})
    sent = {one.body["fileName"]: one.body for one in server.sent("POST", "/v3/documents/file")}
    assert set(sent) == {"plan.pdf", "latin.txt", "\u6b63\u6587.csv"}
    plan = sent["plan.pdf"]
    assert plan["content"] == "%PDF-1.7 \x00 plan"
    assert (plan["containerTag"], plan["documentDate"], plan["metadata"]) == ("team", "2026-05-04", '{"a": "b"}')
    assert plan["customId"] == f"file:{tmp_path.name}/plan.pdf"
    states = {Path(one.path).name: (one.state, one.reason) for one in report.outcomes}
    assert states["plan.pdf"] == ("ingested", None)
    assert states["film.mp4"] == ("skipped", "not text")
    assert states["empty.pdf"] == ("skipped", "empty")

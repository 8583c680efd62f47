"""Files on their way to chunks: read when they are prepared, kept, replaced by better ones, and erased for good."""

import logging
from dataclasses import replace
from pathlib import Path

import pytest

from memory.errors import NotFound
from memory.records import NewDocument, SearchQuery
from memory.temporal import parse_instant
from services import documents, erasure, jobs, ledger, sourced, uploads, verifying
from services.search import search
from services.source_slots import SourceSlots
from tests.office_files import docx, eml, paragraph, pdf
from tests.pipeline import HOME, PERSON

FILES = Path(__file__).parents[2] / "data" / "files"
MANUAL = "# Lift\n\nThe limit is {} kg.\n"


def upload(pipeline, name, body, *, settle=True, scope=HOME, **fields):
    source = uploads.source_of(pipeline.host, name, None, body)
    new = NewDocument(content="", title=source.name, source=source, **fields)
    accepted = documents.add(scope, pipeline.host, PERSON, new)
    if settle:
        pipeline.settle()
    return accepted


def document(pipeline, accepted):
    return documents.get(HOME, pipeline.host, accepted.id, content=True)


def found(pipeline, q):
    return " ".join(hit.text for hit in search(HOME, pipeline.host, SearchQuery(q=q, mode="documents")).hits)


def test_a_file_is_searchable_and_its_facts_rest_on_it(pipeline):
    accepted = upload(
        pipeline, "lift.docx", docx(paragraph("Lift", style="berschrift1"), paragraph("The limit is 55 kg."))
    )
    kept = document(pipeline, accepted)
    assert (kept.status, kept.title, kept.content) == ("done", "lift.docx", "# Lift\n\nThe limit is 55 kg.")
    assert "55 kg" in found(pipeline, "limit")
    assert pipeline.rows("SELECT statement FROM memory") == [("The limit is 55 kg.",)]
    assert uploads.get_file(HOME, pipeline.host, accepted.id).body.startswith(b"PK")


def test_a_file_without_text_ends_the_job_at_once_with_its_reason(pipeline):
    accepted = upload(pipeline, "scan.pdf", (FILES / "scanned_only.pdf").read_bytes())
    job, kept = pipeline.job(accepted), document(pipeline, accepted)
    assert (job.state, kept.status) == ("failed", "failed")
    assert "no extractable text" in job.reason
    assert kept.reason == job.reason
    assert pipeline.rows("SELECT count(*) FROM chunk") == [(0,)]
    assert pipeline.rows("SELECT attempt FROM work_item") == [(1,)]


def test_what_a_file_lacks_is_the_warning_of_a_job_that_is_done(pipeline):
    accepted = upload(pipeline, "half.pdf", (FILES / "mixed_scan.pdf").read_bytes())
    job, kept = pipeline.job(accepted), document(pipeline, accepted)
    assert (job.state, kept.status) == ("done", "done")
    assert "Page 2" in job.warning
    assert "Page 2" in kept.warning


@pytest.mark.parametrize("bad", [b"PK\x03\x04 broken", b"%PDF-1.7 broken", bytes(range(256)) * 10])
def test_a_revision_that_cannot_be_read_leaves_the_one_before_it_serving(pipeline, bad):
    upload(pipeline, "lift.md", MANUAL.format(40).encode(), custom_id="lift")
    accepted = upload(pipeline, "lift.md", bad, custom_id="lift")
    assert "40 kg" in found(pipeline, "limit")
    kept = document(pipeline, accepted)
    assert (kept.status, kept.live_revision, kept.latest_revision) == ("done", 1, 2)
    assert "Revision 2 was not taken over" in kept.warning
    # and the file that is given back is the one that search answers from
    assert uploads.get_file(HOME, pipeline.host, accepted.id).body == MANUAL.format(40).encode()
    # and a better one takes its place
    upload(pipeline, "lift.md", MANUAL.format(55).encode(), custom_id="lift")
    assert "55 kg" in found(pipeline, "limit")
    assert "40 kg" not in found(pipeline, "limit")
    assert document(pipeline, accepted).warning is None


def test_the_old_revision_serves_while_a_file_is_read(pipeline):
    upload(pipeline, "lift.md", MANUAL.format(40).encode(), custom_id="lift")
    pipeline.held = lambda message: message.task == "embed.texts"
    upload(pipeline, "lift.md", MANUAL.format(55).encode(), custom_id="lift")
    assert "40 kg" in found(pipeline, "limit")
    pipeline.held = lambda message: False
    pipeline.settle()
    assert "55 kg" in found(pipeline, "limit")


def test_a_message_that_comes_twice_reads_the_file_once(pipeline):
    pipeline.held = lambda message: message.task == "document.prepare"
    upload(pipeline, "lift.md", MANUAL.format(40).encode())
    (message,) = [one for one in pipeline.queue.waiting if one.task == "document.prepare"]
    pipeline.queue.waiting.append(message)
    pipeline.held = lambda message: False
    pipeline.settle()
    assert pipeline.rows("SELECT count(*) FROM chunk") == [(1,)]


def test_a_job_whose_file_could_not_be_read_can_be_retried(pipeline):
    settings = pipeline.host.settings
    # given a limit that is too small for any file
    pipeline.host = replace(pipeline.host, settings=replace(settings, read_seconds=0.001))
    accepted = upload(pipeline, "lift.docx", docx(paragraph("The limit is 55 kg.")))
    assert "longer than" in pipeline.job(accepted).reason
    # when it is raised and somebody retries
    pipeline.host = replace(pipeline.host, settings=settings)
    jobs.retry(HOME, pipeline.host, PERSON, accepted.job_id)
    pipeline.settle()
    assert document(pipeline, accepted).status == "done"
    assert "55 kg" in found(pipeline, "limit")


def test_files_that_are_read_for_long_leave_texts_their_room(pipeline):
    pipeline.held = lambda message: message.queue == "sources"
    files = [upload(pipeline, f"{number}.md", MANUAL.format(number).encode()) for number in range(20)]

    assert len(pipeline.queue.waiting) == pipeline.host.settings.source_slots
    assert pipeline.job(pipeline.add("The limit of crane 5 is 70 kg.")).state == "done"
    pipeline.held = lambda message: False
    pipeline.settle()
    assert {pipeline.job(one).state for one in files} == {"done"}


def test_with_every_slot_taken_a_file_waits_and_a_text_does_not(pipeline):
    pipeline.slots = SourceSlots(0)
    accepted = upload(pipeline, "lift.md", MANUAL.format(40).encode())

    assert pipeline.rows("SELECT state, failures FROM work_item") == [("ready", 0)]
    assert pipeline.job(accepted).warning == "other pages and files are being read"
    assert pipeline.job(pipeline.add("The limit of crane 5 is 70 kg.")).state == "done"
    pipeline.slots = SourceSlots(1)
    pipeline.clock.advance(2.0)
    ledger.dispatch(pipeline.host, "default")
    pipeline.settle()
    assert (pipeline.job(accepted).state, pipeline.job(accepted).warning) == ("done", None)


def test_a_mail_is_dated_by_itself_unless_a_date_is_sent(pipeline):
    at, zone = parse_instant("2026-05-04T09:30:00+02:00", field="x")
    dated = document(pipeline, upload(pipeline, "a.eml", eml("Crane", "The crane is moved tomorrow.")))
    assert (dated.document_date, dated.document_zone) == (at, zone)
    other = document(pipeline, upload(pipeline, "b.eml", eml("Crane", "It is moved."), document_date=at + 1))
    assert other.document_date == at + 1


def test_nothing_of_a_file_is_logged(pipeline, caplog):
    caplog.set_level(logging.DEBUG)
    upload(pipeline, "secret-name.md", b"# SENTINEL-9\n\nThe limit is 55 kg.")
    upload(pipeline, "secret-name.pdf", b"%PDF-1.7 SENTINEL-9")
    assert "SENTINEL-9" not in caplog.text
    assert "secret-name" not in caplog.text


def test_an_erasure_reaches_the_file_its_name_and_its_text(pipeline):
    body = pdf([[(11, "The vault code DELME-31 opens the north door.")]])
    accepted = upload(pipeline, "DELME-31-plan.pdf", body, custom_id="d")
    text = upload(
        pipeline, "DELME-32.html", b"<p>DELME-33 is long enough to be an article of a page.</p>", custom_id="e"
    )
    for one, receipt_of in ((accepted, "d"), (text, "e")):
        target = erasure.find_target(HOME, pipeline.host, "document", receipt_of)
        asked = erasure.request(HOME, pipeline.host, PERSON, target, verify=True)
        pipeline.settle()
        receipt = erasure.get(HOME, pipeline.host, asked.id)
        assert (receipt.state, receipt.counts["files"]) == ("finished", 1)
        assert receipt.verification["found"] == 0
        with pytest.raises(NotFound):
            uploads.get_file(HOME, pipeline.host, one.id)
    assert pipeline.rows("SELECT count(*) FROM revision_source") == [(0,)]
    folder = pipeline.host.store.path(None).parent
    everything = b"".join(path.read_bytes() for path in verifying.files(folder, "default"))
    for piece in (b"DELME-3", body[:64], b"opens the north door"):
        assert piece not in everything


def test_a_document_says_that_it_is_being_read(pipeline, monkeypatch):
    seen = []
    real = sourced.extract

    def watched(*arguments, **options):
        (status,) = pipeline.rows("SELECT status FROM document")
        seen.append(status)
        return real(*arguments, **options)

    monkeypatch.setattr(sourced, "extract", watched)
    upload(pipeline, "lift.md", MANUAL.format(40).encode())
    assert seen == [("extracting",)]


def test_several_warnings_are_joined_and_counted():
    assert sourced.joined(()) is None
    assert sourced.joined(("One.", "Two.")) == "One. Two."
    assert sourced.joined(("A.",) * 7) == "A. A. A. A. A. And 2 more of this kind."

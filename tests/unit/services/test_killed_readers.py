"""A reader that the system kills: an attempt that failed, and no fault of the document."""

from memory.records import NewSource
from services.reading import process
from store import heap
from tests.office_files import docx, paragraph

START = process._START
KILLED = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"


def add(pipeline):
    body = docx(paragraph("The limit of crane 4 is 55 kg."))
    return pipeline.add("", source=NewSource(kind="file", name="a.docx", body=body), type="docx")


def test_a_file_whose_reader_was_killed_once_is_read_at_the_next_attempt(pipeline, tmp_path, monkeypatch):
    seen = str(tmp_path / "seen")
    first = f"import os, signal\nif not os.path.exists({seen!r}):\n    open({seen!r}, 'w').close()\n    "
    monkeypatch.setattr(process, "_START", first + KILLED.split("; ")[1] + "\n" + START)

    job = pipeline.job(add(pipeline))

    assert job.state == "done"
    assert pipeline.rows("SELECT failures FROM work_item WHERE task = 'document.prepare'") == [(1,)]


def test_a_file_whose_readers_are_all_killed_fails_with_the_true_reason(pipeline, monkeypatch):
    monkeypatch.setattr(process, "_START", KILLED)

    job = pipeline.job(add(pipeline))

    assert (job.state, job.reason) == ("failed", process.ReaderKilled.message)
    assert pipeline.rows("SELECT failures FROM work_item") == [(pipeline.host.settings.max_attempts,)]


def test_what_a_long_text_took_is_given_back(pipeline, monkeypatch):
    trimmed = []
    monkeypatch.setattr(heap, "trim", lambda: trimmed.append(True))
    pipeline.add("The limit is 55 kg.", settle=True)
    assert trimmed == []

    accepted = pipeline.add("word " * 220_000, settle=False)
    prepare = next(one for one in pipeline.queue.waiting if one.task == "document.prepare")
    pipeline.held = lambda message: message is not prepare and message.task != "document.prepare"
    pipeline.settle()

    assert trimmed == [True], accepted

"""Files: any name (INGEST-01), scans that are named (INGEST-03), XML that reaches out (SECURITY-11), all real ones."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest
import requests
from supermemory import Supermemory

from memory.settings import Settings
from ops.launched import Launched, running, wait_until
from tests.office_files import docx, eml, epub, paragraph, pdf, pptx, xlsx

CASES = Path(__file__).parents[1] / "data" / "files"
SLOTS = Settings().source_slots


@pytest.fixture
def official(stack: Launched) -> Supermemory:
    return Supermemory(api_key="local", base_url=stack.url, max_retries=0)


def ended(stack: Launched, document_id: str, *, seconds: float = 60) -> dict[str, Any]:
    """Return a document once it is done or failed."""

    def look() -> dict[str, Any] | None:
        found: dict[str, Any] = stack.get(f"/v3/documents/{document_id}")
        return found if found["status"] in ("done", "failed") else None

    found: dict[str, Any] = wait_until(look, seconds=seconds, what=f"the end of {document_id}")
    return found


def chunks_of(stack: Launched, document_id: str) -> str:
    return "\n".join(one["content"] for one in stack.get(f"/v3/documents/{document_id}/chunks")["chunks"])


def found_by(stack: Launched, q: str, space: str) -> str:
    hits = stack.http.post(
        stack.url + "/v4/search", json={"q": q, "containerTag": space, "searchMode": "hybrid"}, timeout=60
    )
    assert hits.status_code == 200
    return json.dumps(hits.json()["results"], ensure_ascii=False)


def test_the_official_client_uploads_a_file_whose_name_has_no_ascii_letter(
    stack: Launched, official: Supermemory, space: str
) -> None:
    body = (CASES / "upload_zh.md").read_bytes()
    # when the same bytes are sent under two names
    first = official.documents.upload_file(
        file=("正文.md", body, "text/markdown"), container_tag=space, metadata=json.dumps({"team": "yard"})
    )
    second = official.documents.upload_file(file=("文件.md", body), container_tags=json.dumps([space]))
    # then they are two documents that keep their names as titles, are found, and can be had back
    assert first.id != second.id
    one = ended(stack, first.id)
    assert (one["status"], one["title"], one["metadata"]) == ("done", "正文.md", {"team": "yard"})
    assert ended(stack, second.id)["title"] == "文件.md"
    assert "SENTINEL-ZH-204" in chunks_of(stack, first.id)
    assert "SENTINEL-ZH-204" in found_by(stack, "SENTINEL-ZH-204", space)
    back = stack.http.get(f"{stack.url}/v3/documents/{first.id}/file", timeout=30)
    assert back.content == body
    assert back.headers["Content-Disposition"].startswith("attachment;")
    assert "filename*=UTF-8''%E6%AD%A3%E6%96%87.md" in back.headers["Content-Disposition"]
    assert back.headers["X-Content-Type-Options"] == "nosniff"


def test_a_scan_fails_with_a_reason_and_a_half_scan_names_its_page(
    stack: Launched, official: Supermemory, space: str
) -> None:
    whole = official.documents.upload_file(file=CASES / "scanned_only.pdf", container_tag=space)
    half = official.documents.upload_file(file=CASES / "mixed_scan.pdf", container_tag=space)
    # then the one that is only pictures holds nothing
    scan = ended(stack, whole.id)
    assert scan["status"] == "failed"
    assert "no extractable text" in scan["errorMessage"]
    assert stack.get(f"/v3/documents/{whole.id}/chunks")["total"] == 0
    # and the other is done, says which page is missing, and is found
    mixed = ended(stack, half.id)
    assert (mixed["status"], mixed["type"]) == ("done", "pdf")
    assert "Page 2" in mixed["warning"]
    found = found_by(stack, "PAGEONE-TEXT", space)
    assert "PAGEONE-TEXT" in found
    assert whole.id not in found


@pytest.mark.parametrize("name", ["xxe.docx", "laughs.docx"])
def test_a_word_file_that_reaches_out_fails_quickly_and_says_why(
    stack: Launched, official: Supermemory, space: str, name: str
) -> None:
    began = time.monotonic()
    sent = official.documents.upload_file(file=CASES / name, container_tag=space)
    failed = ended(stack, sent.id)
    assert failed["status"] == "failed"
    assert "DTD" in failed["errorMessage"]
    assert stack.get(f"/v3/documents/{sent.id}/chunks")["total"] == 0
    # Twelve times what it takes here, for a machine with other work to do.
    assert time.monotonic() - began < 25


def test_hidden_text_of_a_page_is_not_kept_and_its_article_is(
    stack: Launched, official: Supermemory, space: str
) -> None:
    page = (
        "<html><body><nav><a href='/'>NAVWORD</a></nav><article><h1>Pump</h1>"
        "<p>ARTICLE-9931: prime the pump for 30 seconds before the first run of the day.</p>"
        "<p style='display:none'>HIDDEN-77</p><script>var a = 'SCRIPT-SECRET-1'</script></article></body></html>"
    )
    sent = official.documents.upload_file(file=("pump.html", page.encode()), container_tag=space)
    kept = ended(stack, sent.id)
    assert (kept["status"], kept["type"]) == ("done", "webpage")
    text = chunks_of(stack, sent.id)
    assert "ARTICLE-9931" in text
    assert not any(word in text for word in ("HIDDEN-77", "SCRIPT-SECRET-1"))


def test_every_kind_of_office_file_is_found_by_what_it_says(stack: Launched, official: Supermemory, space: str) -> None:
    files = {
        "lift.docx": docx(paragraph("Lift", style="berschrift1"), paragraph("The lift carries DOCX-11 kilograms.")),
        "loads.xlsx": xlsx({"Loads": [["Hall", "Load"], ["North", "XLSX-12"]]}),
        "talk.pptx": pptx([("Cranes", ["They carry PPTX-13"], "")]),
        "book.epub": epub(["<h1>One</h1><p>The keeper wrote EPUB-14 on the wall.</p>"]),
        "mail.eml": eml("Keys", "The keys are behind MAIL-15."),
        "plan.pdf": pdf([[(11, "The plan is called PDF-16.")]]),
        "list.csv": b"hall,code\nnorth,CSV-17\n",
        "data.json": b'{"code": "JSON-18"}',
        "run.py": b"CODE = 'CODE-19'\n",
        "old.txt": "Größe: TEXT-20".encode("cp1252"),
    }
    sent = {
        name: official.documents.upload_file(file=(name, body), container_tag=space).id for name, body in files.items()
    }
    for name, document_id in sent.items():
        assert ended(stack, document_id)["status"] == "done", name
    for mark in ("DOCX-11", "XLSX-12", "PPTX-13", "EPUB-14", "MAIL-15", "PDF-16", "CSV-17", "JSON-18", "CODE-19"):
        assert mark in found_by(stack, mark, space)
    for name, document_id in sent.items():
        assert stack.http.get(f"{stack.url}/v3/documents/{document_id}/file", timeout=30).content == files[name]


def test_a_file_that_cannot_be_read_leaves_the_one_before_it_serving(
    stack: Launched, official: Supermemory, space: str
) -> None:
    good = docx(paragraph("The limit of lift 9 is 40 kg."))
    first = official.documents.upload_file(file=("lift.docx", good), container_tag=space, custom_id=space)
    assert ended(stack, first.id)["status"] == "done"
    again = official.documents.upload_file(
        file=("lift.docx", good[: len(good) // 2]), container_tag=space, custom_id=space
    )
    assert again.id == first.id
    kept = ended(stack, first.id)
    assert kept["status"] == "done"
    assert "damaged" in kept["warning"]
    assert "40 kg" in found_by(stack, "limit of lift 9", space)


def test_fifty_files_at_once_are_each_accepted_or_refused_and_none_is_lost(stack: Launched, space: str) -> None:
    def send(number: int) -> tuple[int, int, str | None]:
        files = {"file": (f"{number}.docx", docx(paragraph(f"File {number} says WORD-{number}-END.")))}
        answer = requests.post(stack.url + "/v3/documents/file", files=files, data={"containerTag": space}, timeout=60)
        assert answer.status_code in (202, 429, 503), answer.text
        assert answer.status_code == 202 or "Retry-After" in answer.headers
        return number, answer.status_code, answer.json().get("id")

    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(send, range(50)))
    taken = {number: document_id for number, status, document_id in answers if status == 202}
    assert taken
    for number, document_id in taken.items():
        assert document_id is not None
        assert ended(stack, document_id)["status"] == "done"
        assert f"WORD-{number}-END" in chunks_of(stack, document_id)
    total = stack.get("/v3/documents", containerTag=space)["pagination"]["totalItems"]
    assert total == len(taken)


def test_files_whose_readers_hang_hold_up_no_text(stack: Launched, space: str) -> None:
    # given more files than slots, and readers that stand still
    stopped: dict[int, psutil.Process] = {}

    def stop() -> bool:
        for one in stack.children("services.reading"):
            if one.pid not in stopped:
                one.suspend()
                stopped[one.pid] = one
        return len(stopped) >= SLOTS

    def send_file(number: int) -> str:
        body = docx(*[paragraph("")] * 15_000, paragraph(f"The limit of lift {number} is 40 kg."))
        files, data = {"file": (f"{number}.docx", body)}, {"containerTag": space}
        answer = requests.post(stack.url + "/v3/documents/file", files=files, data=data, timeout=60)
        stop()
        return str(answer.json()["id"])

    try:
        files = [send_file(number) for number in range(SLOTS + 2)]
        wait_until(stop, seconds=30, what="readers in every slot")
        # when texts are handed in, then each is done meanwhile
        for number in range(3):
            text = {"content": f"The limit of crane {number} is 70 kg.", "containerTag": space}
            answer = requests.post(stack.url + "/v3/documents", json=text, timeout=60)
            assert ended(stack, answer.json()["id"], seconds=20)["status"] == "done"
        assert {stack.get(f"/v3/documents/{one}")["status"] for one in files} <= {"queued", "extracting"}
        assert len(stack.children("services.reading")) == SLOTS
    finally:
        for one in stopped.values():
            one.resume()
    # and every file is read when its reader goes on
    assert {ended(stack, one, seconds=120)["status"] for one in files} == {"done"}


def test_a_host_worker_that_is_killed_while_it_reads_loses_nothing(tmp_path: Path) -> None:
    # given a file that takes seconds to read and says little
    body = docx(*[paragraph("")] * 15_000, paragraph("The limit of lift 9 is 40 kg."))
    quick = {"MEMLANE_TIME_FACTOR": "10", "MEMLANE_LEASE_SECONDS": "60"}
    with running(tmp_path / "data", quick) as stack:
        answer = requests.post(stack.url + "/v3/documents/file", files={"file": ("lift.docx", body)}, timeout=60)

        def reader() -> psutil.Process | None:
            return next(iter(stack.children("services.reading")), None)

        # when the worker is killed in the middle of reading
        found = wait_until(reader, seconds=30, what="a reader at work")
        found.parent().kill()
        # then its reader goes with it, and the file is read by the next worker
        wait_until(lambda: not found.is_running() or found.status() == psutil.STATUS_ZOMBIE, seconds=10, what="its end")
        assert ended(stack, answer.json()["id"], seconds=120)["status"] == "done"
        assert "40 kg" in chunks_of(stack, answer.json()["id"])

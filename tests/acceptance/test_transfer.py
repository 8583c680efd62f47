"""Export and import on a real stack: into a second tenant, through the server and the command line."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import requests
from supermemory import Supermemory

from memlane.http import Client
from ops.launched import ROOT, Launched, wait_until
from services import control, keys
from services.clock import system_clock
from services.identifiers import TimeSortedIds

# More than the largest body of any other request.
LARGE_CHARACTERS = 900_000
LARGE_DOCUMENTS = 100


def key_of(stack: Launched, **limits: Any) -> str:
    with control.opened(stack.data_dir, clock=system_clock, new_id=TimeSortedIds(system_clock)) as opened:
        return keys.create(opened, label="test", **limits).secret


def memlane(stack: Launched, secret: str | None, *arguments: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "MEMLANE_URL": stack.url, **({"MEMLANE_API_KEY": secret} if secret else {})}
    command = [sys.executable, "-c", "from memlane.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)


def body(path: Path) -> list[bytes]:
    return path.read_bytes().split(b"\n")[1:-2]


def fill(stack: Launched, space: str) -> None:
    said = stack.post(
        "/v1/episodes", container_tag=space, session_id="run",
        episodes=[
            {"role": "user", "name": "Ines", "content": "I moved to Porto.", "occurred_at": "2024-03-04T09:00:00Z"},
            {"kind": "tool_result", "content": "stock: 4"},
        ],
    )  # fmt: skip
    text = "# Cranes\n\nCrane 3 lifts nine tonnes.\n\n## Yard\n\nThe depot opens at seven every day."
    sent = stack.post("/v3/documents", content=text, containerTag=space, customId="d")
    fact = stack.post("/v4/memories", memories=[{"content": "Ann likes tea."}], containerTag=space)["memories"][0]
    for job in (said["job_id"], sent["jobId"]):
        assert stack.job(job)["state"] == "done"
    response = requests.patch(
        f"{stack.url}/v4/memories",
        json={"id": fact["id"], "newContent": "Ann likes green tea.", "containerTag": space}, timeout=60,
    )  # fmt: skip
    assert response.ok, response.text


@pytest.mark.parametrize("vectors", [True, False], ids=["with vectors", "without"])
def test_a_space_comes_back_in_another_tenant_line_for_line(
    stack: Launched, space: str, tmp_path: Path, vectors: bool
) -> None:
    # given a space with something of every kind
    fill(stack, space)
    secret = key_of(stack, tenant=f"t-{'vec' if vectors else 'bare'}", actor_kind="person")
    out, again = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    flag = ["--vectors"] if vectors else []

    # when it goes out and comes in again, by the command line
    ran = memlane(stack, None, "export", out, "--container-tag", space, *flag)
    assert ran.returncode == 0, ran.stderr
    assert out.stat().st_mode & 0o777 == 0o600
    ran = memlane(stack, secret, "import", out, "--json")
    assert ran.returncode == 0, ran.stderr
    made = json.loads(ran.stdout)
    assert made["state"] == "finished"

    # then every line is there again, also the vectors that were made anew
    with Client(stack.url, secret) as client:
        wait_until(
            lambda: client.import_state(made["id"])["searchable"] == "fully", seconds=60, what="every row has a vector"
        )
        found = client.search("Where does Ines live?", spaces=[space])["results"]
        history = client.history(client.search("What does Ann drink?", spaces=[space])["results"][0]["id"])
    assert "Porto" in found[0]["memory"]
    assert found == stack.search("Where does Ines live?", containerTag=space, include={"sources": True})
    assert [one["statement"] for one in history["versions"]] == ["Ann likes tea.", "Ann likes green tea."]
    ran = memlane(stack, secret, "export", again, *flag)
    assert ran.returncode == 0, ran.stderr
    told = [line for line in body(again) if json.loads(line)["line"] not in ("setting", "calibration")]
    if vectors:
        assert told == body(out)
    else:
        assert [without_vector(line) for line in told] == [without_vector(line) for line in body(out)]

    # and bringing it in once more is refused
    ran = memlane(stack, secret, "import", out)
    assert ran.returncode == 4
    assert "is not empty" in ran.stderr


@pytest.mark.parametrize("by_alias", [True, False], ids=["the wire's names", "the client's"])
def test_what_supermemorys_client_lists_is_brought_in(
    stack: Launched, space: str, tmp_path: Path, by_alias: bool
) -> None:
    # given documents as the official client lists them
    with Supermemory(api_key="local", base_url=stack.url, timeout=60) as client:
        for number in range(3):
            client.add(
                content=f"Crane {number} lifts {number} tonnes.", container_tag=space, custom_id=f"c-{number}",
                metadata={"yard": "north", "number": number},
            )  # fmt: skip
        pages = [client.documents.list(container_tags=[space], include_content=True, limit=2, page=n) for n in (1, 2)]
    path = tmp_path / "documents.json"
    path.write_text(json.dumps([json.loads(page.model_dump_json(by_alias=by_alias)) for page in pages]))

    # when the list is brought in
    ran = memlane(stack, None, "import", path, "--container-tag", f"{space}-new", "--json")

    # then each is there as it was
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == {"documents": 3, "memories": 0, "left": 0, "failed": 0}
    with Supermemory(api_key="local", base_url=stack.url, timeout=60) as client:
        found = client.documents.list(container_tags=[f"{space}-new"], include_content=True).memories
    assert {(one.custom_id, one.content, json.dumps(one.metadata, sort_keys=True)) for one in found} == {
        (f"c-{n}", f"Crane {n} lifts {n} tonnes.", json.dumps({"number": n, "yard": "north"})) for n in range(3)
    }


def without_vector(line: bytes) -> dict[str, Any]:
    told = json.loads(line)
    told.pop("vector", None)
    return dict(told)


def test_an_import_may_be_larger_than_any_other_body_and_nothing_else_may(
    stack: Launched, space: str, tmp_path: Path
) -> None:
    # given an export of more than 64 MiB
    secret = key_of(stack, tenant="t-large", actor_kind="person")
    path = tmp_path / "large.jsonl"
    write_large(stack, space, path)
    assert path.stat().st_size > 64 * 1024**2

    # when it is brought in
    with Client(stack.url, secret) as client, path.open("rb") as file:
        made = client.import_export(file)
        # and the writer is killed in the middle of it
        wait_until(lambda: client.import_state(made["id"])["done"] > 1, seconds=60, what="the first lines are there")
        for writer in stack.children("workers reconcile"):
            writer.kill()
        wait_until(lambda: client.import_state(made["id"])["state"] == "finished", seconds=120, what="it is there")

        # then it is there, the same
        out = tmp_path / "again.jsonl"
        with out.open("wb") as again:
            client.export(again.write)
    assert body(out) == body(path)

    # and through another door so much is refused
    with path.open("rb") as file:
        refused = requests.post(f"{stack.url}/v3/documents", data=file, timeout=120)
    assert refused.status_code == 413
    assert refused.json()["code"] == "too_large"


def write_large(stack: Launched, space: str, path: Path) -> None:
    """Write an export of many documents with long texts that nobody has to be asked to embed."""
    lines: list[dict[str, Any]] = [
        {"line": "header", "format": 1, "spaces": [space], "whole": False, "vectors": False, "embedding": None},
        {"line": "space", "name": space, "created_at": 1},
    ]
    for kind in ("job", "document", "revision"):
        for number in range(LARGE_DOCUMENTS):
            lines.append(LARGE[kind](f"doc_large{number:03d}", space, number))
    raw = b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines)
    counts = {"space": 1, **dict.fromkeys(("job", "document", "revision"), LARGE_DOCUMENTS)}
    end = {"line": "end", "lines": len(lines) - 1, "counts": counts, "sha256": hashlib.sha256(raw).hexdigest()}
    path.write_bytes(raw + json.dumps(end).encode() + b"\n")


LARGE: dict[str, Any] = {
    "job": lambda name, space, number: {
        "line": "job", "id": f"job_{name}", "space": space, "kind": "document", "state": "done", "document_id": name,
        "revision": 1, "created_at": number, "updated_at": number,
    },
    "document": lambda name, space, number: {
        "line": "document", "id": name, "space": space, "title_sent": 1, "type": "text", "metadata": {},
        "status": "done", "latest_revision": 1, "live_revision": 1, "created_at": number, "updated_at": number,
        "task_type": "memory",
    },
    "revision": lambda name, space, number: {
        "line": "revision", "document_id": name, "revision": 1, "content": f"{number} " * (LARGE_CHARACTERS // 3),
        "content_hash": "x", "tokens": 1, "state": "live", "job_id": f"job_{name}", "created_at": number,
    },
}  # fmt: skip

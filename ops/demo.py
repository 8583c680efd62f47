"""`make demo`: the whole stack on a throw-away folder, real input, three questions with cited answers."""

from __future__ import annotations

import json
import shutil
import signal
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import requests

from ops.child import ROOT
from ops.launched import Launched, LaunchFailed, running

SPACE = "demo"
SAMPLE = Path(__file__).with_name("sample") / "conversation.json"
QUESTIONS = (
    "How much flour does the bakery order, and from whom?",
    "Who does the deliveries on Fridays?",
    "What does memlane erase leave behind?",
)
INGEST_SECONDS = 600.0
# What people read first: the lists of docs/reference and the decisions are longer, and a start is to take a minute.
GUIDES = (ROOT / "docs", ROOT / "docs" / "howto")
ENDED = {"done", "partial", "failed", "cancelled"}


class DemoFailed(Exception):
    """The demonstration did not do what it shows."""


def demo(*, once: bool, port: int | None) -> int:
    """Show what Memlane does.

    Args:
        once: end after the questions instead of serving until Ctrl-C.
        port: of the API; a free one when None.

    Returns:
        0, or 1 when an answer had no citation or the stack did not start.
    """
    # As Ctrl-C: the folder goes with whoever ends it, at any moment.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    folder = Path(tempfile.mkdtemp(prefix="memlane-demo-"))
    click.echo("Starting the stack ...")
    try:
        with running(folder / "data", port=port) as stack:
            click.echo(f"The API is at {stack.url}")
            show(stack)
            if not once:
                _serve(stack)
        click.echo("\nEnded; nothing is left running. Keep your own: .venv/bin/memlane up")
        return 0
    except (DemoFailed, LaunchFailed, requests.RequestException) as error:
        click.echo(f"The demo failed: {error}", err=True)
        return 1
    except KeyboardInterrupt:
        click.echo("\nStopped; nothing is left running.")
        return 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def show(stack: Launched) -> None:
    """Ingest, ask, and print what came of it.

    Args:
        stack: to show.

    Raises:
        DemoFailed: something was not ingested, or an answer has no citation.
    """
    ingest(stack)
    missing = [question for question in QUESTIONS if not ask(stack, question)]
    if missing:
        raise DemoFailed(f"no citation for: {' / '.join(missing)}")


def ingest(stack: Launched) -> None:
    """Hand in the project's guides and the sample conversation, and wait until all of it is searchable.

    Args:
        stack: to hand it to.

    Raises:
        DemoFailed: a job did not end well or in time.
    """
    began = time.monotonic()
    files = [ROOT / "README.md", *(file for folder in GUIDES for file in sorted(folder.glob("*.md")))]
    jobs = [_send_file(stack, file) for file in files if file.exists() and file.read_text(encoding="utf-8").strip()]
    conversation = json.loads(SAMPLE.read_text(encoding="utf-8"))
    jobs.append(stack.post("/v4/conversations", **conversation, containerTag=SPACE)["jobId"])
    label = f"Ingesting {len(jobs) - 1} documents and {len(conversation['messages'])} messages"
    # Without a terminal the bar is one line, its label.
    with click.progressbar(length=len(jobs), label=label) as bar:
        owed = jobs
        while owed:
            left = _owed(stack, owed)
            bar.update(len(owed) - len(left))
            owed = left
            if time.monotonic() - began > INGEST_SECONDS:
                raise DemoFailed("the documents were not ingested in time")
            time.sleep(0.1)
    click.echo(f"Ingested in {time.monotonic() - began:.1f} s.")


def ask(stack: Launched, question: str) -> bool:
    """Ask a question and print the answer, what it rests on, and what it saved.

    Args:
        stack: to hand it to.
        question: for a person.

    Returns:
        Whether the answer has a citation.
    """
    began = time.monotonic()
    said = stack.post("/v1/ask", q=question, container_tag=SPACE, limit=8)
    milliseconds = (time.monotonic() - began) * 1000
    click.echo(f"\n{click.style('Q: ' + question, bold=True)}\n{said['answer']}")
    for citation in said["citations"]:
        if f"[{citation['n']}]" in said["answer"]:
            source = _source(citation["source"])
            click.echo(f"  [{citation['n']}] {source}: {_shortened(citation['text'].removeprefix(f'{source}: '))}")
    tokens = said["tokens"]
    click.echo(f"  context {tokens['context']} tokens : sources {tokens['source']} tokens{_ratio(tokens)}, "
               f"answered in {milliseconds:.0f} ms")  # fmt: skip
    return bool(said["citations"])


def _send_file(stack: Launched, file: Path) -> str:
    name = str(file.relative_to(ROOT))
    body = {"content": file.read_text(encoding="utf-8"), "customId": name, "containerTag": SPACE}
    return str(stack.post("/v3/documents", **body, metadata={"title": name})["jobId"])


def _owed(stack: Launched, jobs: Sequence[str]) -> list[str]:
    states = {job: stack.get(f"/v1/jobs/{job}") for job in jobs}
    for state in states.values():
        if state["state"] in ENDED - {"done"}:
            raise DemoFailed(f"job {state['id']} ended {state['state']}: {state.get('reason')}")
    return [job for job, state in states.items() if state["state"] not in ENDED]


def _source(source: Mapping[str, Any]) -> str:
    if source.get("message_index") is not None:
        return f"{source.get('conversation_id')}, message {source['message_index']}"
    return str(source.get("title") or source.get("document_id") or source.get("id"))


def _shortened(text: str, most: int = 100) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _ratio(tokens: Mapping[str, int]) -> str:
    return f" = 1 : {tokens['source'] / tokens['context']:.1f}" if tokens["context"] else ""


def _serve(stack: Launched) -> None:
    click.echo(f"\nThe API goes on at {stack.url}")
    click.echo(f"Try: curl -s {stack.url}/v1/ask -H 'Content-Type: application/json'"
               f" -d '{json.dumps({'q': QUESTIONS[0], 'container_tag': SPACE})}'")  # fmt: skip
    click.echo("Ctrl-C ends it and deletes its data.")
    stack.supervisor().wait()
    raise DemoFailed("the stack ended by itself")

"""Clients that keep a stack busy as careful clients do, and remember what was accepted."""

from __future__ import annotations

import random
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import requests

# A client that got no answer asks again for this long.
PATIENCE_SECONDS = 90.0
POISON = "poisonpill"
SPACE = "faults"


@dataclass
class Document:
    """A document as it was sent; every revision has facts of its own."""

    custom_id: str
    numbers: list[int] = field(default_factory=list)  # one a revision
    jobs: list[str] = field(default_factory=list)
    id: str = ""
    poisoned: bool = False
    cancelled: bool = False  # somebody asked for it


@dataclass
class Lineage:
    """A directly written memory and what became of it."""

    texts: list[str]  # oldest version first
    forgotten: bool = False


@dataclass
class Accepted:
    """Everything that one client was promised."""

    documents: list[Document] = field(default_factory=list)
    conversations: dict[str, list[int]] = field(default_factory=dict)  # numbers said, in order
    conversation_jobs: list[str] = field(default_factory=list)
    lineages: list[Lineage] = field(default_factory=list)
    searches: dict[int, int] = field(default_factory=dict)  # by status


def document_text(number: int, *, poisoned: bool = False) -> str:
    """Return a text with two facts that no other has."""
    more = f" Machine {number} runs on {POISON}." if poisoned else ""
    text = f"Machine {number} has {number + 3} axles. Machine {number} stands in hall {number}.{more}"
    return f"# Machine {number}\n\n{text}\n"


def facts(number: int) -> list[str]:
    """Return the two facts."""
    return [f"Machine {number} has {number + 3} axles", f"Machine {number} stands in hall {number}"]


def said(number: int) -> str:
    """Return a message with one fact."""
    return f"My bicycle {number} is kept in cellar {number}."


class Client(threading.Thread):
    """One client; works until it is told to stop. What goes wrong is in `error`."""

    def __init__(self, number: int, seed: int, url: str) -> None:
        super().__init__(name=f"client-{number}", daemon=True)
        self.accepted = Accepted()
        self.error: Exception | None = None
        self.stopping = threading.Event()
        self._url = url
        self._rng = random.Random(f"{seed}-client-{number}")
        self._next = number * 1_000_000
        self._tag = f"c{number}"

    def run(self) -> None:
        """Work."""
        actions = [
            *[self._new_document] * 4, *[self._revise] * 3, *[self._converse] * 3, *[self._remember] * 3,
            *[self._patch] * 3, *[self._forget] * 2, self._cancel, self._poison, *[self._search] * 3,
        ]  # fmt: skip
        try:
            while not self.stopping.is_set():
                self._rng.choice(actions)()
                self.stopping.wait(self._rng.uniform(0.05, 0.4))
        except Exception as error:
            self.error = error

    def _number(self) -> int:
        self._next += 1
        return self._next

    def _new_document(self, *, poisoned: bool = False) -> Document:
        document = Document(custom_id=f"{self._tag}-{self._number()}", poisoned=poisoned)
        self.accepted.documents.append(document)
        self._post_document(document)
        return document

    def _post_document(self, document: Document) -> None:
        number = self._number()
        document.numbers.append(number)
        body = {
            "content": document_text(number, poisoned=document.poisoned), "containerTag": SPACE,
            "customId": document.custom_id,
        }  # fmt: skip
        answer, _ = self._send("POST", "/v3/documents", body, {200, 202}, key=f"document-{number}")
        document.id = answer["id"]
        document.jobs.append(answer["jobId"])

    def _revise(self) -> None:
        known = [one for one in self.accepted.documents if not (one.cancelled or one.poisoned)]
        if known:
            self._post_document(self._rng.choice(known))

    def _cancel(self) -> None:
        document = self._new_document()
        document.cancelled = True
        # 409: it had ended already, or an answer that was lost had cancelled it.
        self._send("POST", f"/v1/jobs/{document.jobs[-1]}/cancel", {}, {200, 409})

    def _poison(self) -> None:
        self._new_document(poisoned=True)

    def _converse(self) -> None:
        talk = self._rng.randrange(3)
        name = f"{self._tag}-talk{talk}"
        numbers = self.accepted.conversations.setdefault(name, [])
        numbers.append(self._number())
        messages = [{"role": "user", "name": "Ana", "content": said(number)} for number in numbers]
        body = {"conversationId": name, "messages": messages, "containerTag": SPACE}
        answer, _ = self._send("POST", "/v4/conversations", body, {200, 202}, key=f"talk-{numbers[-1]}")
        if answer.get("jobId"):
            self.accepted.conversation_jobs.append(answer["jobId"])

    def _remember(self) -> None:
        number = self._number()
        text = f"Cabinet {number} holds {number} screws."
        body = {"memories": [{"content": text}], "containerTag": SPACE}
        self.accepted.lineages.append(Lineage([text]))
        self._send("POST", "/v4/memories", body, {201, 202}, key=f"memory-{number}")

    def _live(self) -> Lineage | None:
        live = [one for one in self.accepted.lineages if not one.forgotten]
        return self._rng.choice(live) if live else None

    def _patch(self) -> None:
        lineage = self._live()
        if lineage is not None:
            number = self._number()
            old, new = lineage.texts[-1], f"Cabinet {number} holds {number} nails."
            lineage.texts.append(new)
            body = {"content": old, "newContent": new, "containerTag": SPACE}
            # There is no key for these: when an answer was lost, the second try finds that it is done.
            self._send("PATCH", "/v4/memories", body, {200, 202}, done_before={404, 409})

    def _forget(self) -> None:
        lineage = self._live()
        if lineage is not None:
            lineage.forgotten = True
            body = {"content": lineage.texts[-1], "containerTag": SPACE}
            self._send("DELETE", "/v4/memories", body, {200, 202}, done_before={404, 409})

    def _search(self) -> None:
        body = {"q": f"Where is machine {self._rng.randrange(10**6)}?", "containerTag": SPACE, "rerank": True}
        try:
            status = requests.post(self._url + "/v4/search", json=body, timeout=30).status_code
        except requests.RequestException:
            status = 0
        if status not in (0, 200, 503):
            raise AssertionError(f"a search was answered {status}")
        self.accepted.searches[status] = self.accepted.searches.get(status, 0) + 1

    def _send(
        self,
        method: str,
        path: str,
        body: dict[str, Any],
        good: set[int],
        *,
        key: str | None = None,
        done_before: frozenset[int] | set[int] = frozenset(),
    ) -> tuple[dict[str, Any], int]:
        """Send until there is an answer; those of `done_before`, to a second try, mean that the first has done it."""
        until = time.monotonic() + PATIENCE_SECONDS
        unanswered = False
        while True:
            try:
                headers = {"Idempotency-Key": f"{self._tag}-{key}"} if key else {}
                answer = requests.request(method, self._url + path, json=body, headers=headers, timeout=30)
                if answer.status_code in good or (unanswered and answer.status_code in done_before):
                    return (answer.json() if answer.content else {}), answer.status_code
                # 502: the model refused with an error, which is what a broken model server does; nothing was kept.
                if answer.status_code not in (502, 503):
                    raise AssertionError(f"{method} {path} was answered {answer.status_code}: {answer.text[:300]}")
            except requests.RequestException:
                unanswered = True
            if time.monotonic() > until:
                raise AssertionError(f"{method} {path} was not accepted within {PATIENCE_SECONDS:.0f} s")
            time.sleep(0.2)

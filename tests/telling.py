"""A real stack that is told things by every door there is, with rules or with a scripted language model as judge."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from inference.fake_chat import FACT_MARK, last_letter, likely
from inference.fakes import FakeModelServer
from memory.judging import PAIR_LETTERS
from ops.launched import Launched, running, wait_until

MEMLANE = Path(sys.executable).with_name("memlane")
_SHOWN = re.compile(r"OLD(?: \(.*?\))?: (.*)\nNEW(?: \(.*?\))?: (.*)\nLetter:")
_LETTERS = {verdict: letter for letter, verdict in PAIR_LETTERS.items()}

Verdicts = Callable[[str, str], str]  # of an old and a new statement


class Telling:
    """One stack and what can be told to it."""

    def __init__(self, stack: Launched, model: FakeModelServer | None) -> None:
        """Begin with a judge that calls everything distinct, where there is a language model."""
        self.stack = stack
        self.model = model
        self.verdicts: Verdicts = lambda old, new: "distinct"
        if model is not None:
            model.chat.judge = self._letters

    def _letters(self, prompt: str, letters: Sequence[str]) -> Mapping[str, float]:
        shown = _SHOWN.search(prompt)
        if shown is None:
            return last_letter(prompt, letters)
        return likely(_LETTERS[self.verdicts(*shown.groups())], letters)

    def said(self, text: str) -> str:
        """Return a statement as a source holds it: the scripted model finds what is marked."""
        return f"{FACT_MARK} {text}" if self.model else text

    def document(self, space: str, text: str, *, done: bool = True, **more: Any) -> dict[str, Any]:
        """Hand in a document, each line of which states something; waits for its job."""
        content = "\n\n".join(map(self.said, text.splitlines()))
        body = {"title": "Notes", "content": content, "containerTag": space, **more}
        sent: dict[str, Any] = self.stack.post("/v3/documents", **body)
        if done and sent.get("jobId"):
            assert self.stack.job(sent["jobId"])["state"] == "done"
        return sent

    def say(
        self, space: str, text: str, *, at: str | None = None, conversation: str = "talk", done: bool = True,
        role: str = "user", **more: Any,
    ) -> dict[str, Any]:  # fmt: skip
        """Say something in a conversation; waits for its job."""
        message = {"role": role, "content": self.said(text), **({"timestamp": at} if at else {}), **more}
        sent: dict[str, Any] = self.stack.post(
            "/v4/conversations", conversationId=conversation, containerTag=space, messages=[message]
        )
        if done and sent.get("jobId"):
            assert self.stack.job(sent["jobId"])["state"] == "done"
        return sent

    def write(self, space: str, text: str, **more: Any) -> dict[str, Any]:
        """Write a fact directly; returns the memory."""
        (memory,) = self.stack.post("/v4/memories", memories=[{"content": text, **more}], containerTag=space)[
            "memories"
        ]
        return dict(memory)

    def command(self, *arguments: str) -> str:
        """Run the command line."""
        ran = subprocess.run(
            [str(MEMLANE), *arguments], capture_output=True, text=True, env=self.stack.env, timeout=60, check=False
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    def settle(self, space: str) -> None:
        """Wait until nothing of a space is owed: no job runs and every candidate has its outcome."""

        def settled() -> bool:
            stats = self.stack.get("/v1/stats", containerTag=space)
            return not (set(stats["jobs"]) & {"queued", "running"}) and "open" not in stats["candidates"]

        wait_until(settled, seconds=60, what=f"everything told to {space} is settled")

    def current(self, space: str, **clocks: str) -> list[str]:
        """Return the statements that hold, without who said them when."""
        page = self.stack.post("/v4/memories/list", containerTags=[space], order="asc", limit=200, **clocks)
        return [bare(one["memory"]) for one in page["memoryEntries"]]

    def versions(self, space: str) -> list[dict[str, Any]]:
        """Return every version of a space, oldest first."""
        page = self.stack.post(
            "/v4/memories/list", containerTags=[space], history=True, includeForgotten=True, order="asc", limit=200
        )
        return list(page["memoryEntries"])

    def outcomes(self, space: str) -> dict[str, int]:
        """Return how many candidates of a space had which outcome."""
        return dict(self.stack.get("/v1/stats", containerTag=space)["candidates"])


def bare(text: str) -> str:
    """Return a memory's text without its day, its speaker and the last full stop."""
    return re.sub(r"^(?:\[[^\]]*\] )?(?:\w+: )?", "", text).rstrip(".")


@contextmanager
def telling(folder: Path, mode: str, environment: Mapping[str, str] | None = None) -> Iterator[Telling]:
    """Run a stack.

    Args:
        folder: of its data.
        mode: `rules`, or `model` for a scripted language model; the embedded model makes the vectors in both.
        environment: further settings.
    """
    if mode == "rules":
        with running(folder, environment) as stack:
            yield Telling(stack, None)
        return
    with (
        FakeModelServer(roles=["llm"]) as model,
        running(folder, {**(environment or {}), "MEMLANE_LLM_URL": model.url}) as stack,
    ):
        yield Telling(stack, model)

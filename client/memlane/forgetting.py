"""Forgets in two steps: a preview that writes nothing, then exactly the previewed ids."""

from __future__ import annotations

import shlex
import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memlane.errors import MemlaneError
from memlane.http import Client, Json
from memlane.previews import fingerprint

MEMORY_PREFIX = "mem_"
# The server's limit for one call; it refuses a longer list itself.
MOST_FORGOTTEN = 500


class TooWide(MemlaneError, ValueError):
    """A phrase of words is needed; an empty one or a wildcard would mean everything, and that is refused."""

    exit_code = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What is to be forgotten: a phrase or ids, in one space."""

    phrase: str | None
    ids: tuple[str, ...]
    space: str | None
    threshold: float | None = None
    most: int | None = None


def target(words: Sequence[str], ids: Sequence[str], **where: Any) -> Target:
    """Read the words and ids of a command line.

    Args:
        words: a phrase, or ids of memories.
        ids: ids, also several in one text separated by commas.
        **where: `space`, `threshold` and `most`.

    Raises:
        TooWide: neither ids nor a word.
    """
    named = [one.strip() for text in ids for one in text.split(",") if one.strip()]
    if words and all(word.startswith(MEMORY_PREFIX) for word in words):
        named, words = [*named, *words], ()
    phrase = " ".join(words).strip()
    if named and phrase:
        raise TooWide("Give a phrase or ids, not both.")
    if not named and all(letter in string.punctuation or letter.isspace() for letter in phrase):
        raise TooWide
    return Target(phrase=phrase or None, ids=tuple(dict.fromkeys(named)), **where)


def preview(client: Client, what: Target) -> Json:
    """Return what would be forgotten, as `{"candidates", "apply", ...}`; nothing is written.

    Returns:
        The server's preview with `apply`, the command that forgets exactly these; without one when there are none.
    """
    most = _most(len(what.ids)) if what.ids else what.most
    answer = client.forget_matching(
        query=what.phrase, ids=what.ids or None, dry_run=True, space=what.space, threshold=what.threshold, most=most
    )
    candidates = answer.get("candidates") or []
    ids = [match["id"] for match in candidates]
    return {**answer, "candidates": candidates, "apply": apply_command(ids, what.space) if ids else None}


def apply(client: Client, what: Target, ids: Sequence[str], *, reason: str | None) -> Json:
    """Forget exactly these ids.

    Returns:
        The server's answer with `restore`, the command that undoes it.
    """
    answer = client.forget_matching(ids=ids, dry_run=False, space=what.space, most=_most(len(ids)), reason=reason)
    batch = answer.get("forgetBatchId")
    restore = ["memlane", "restore", "--batch", str(batch), *_space(what.space)]
    return {**answer, "forgotten": answer.get("forgotten") or [], "restore": shlex.join(restore)}


def key_of(client: Client, what: Target, api_key: str | None) -> str:
    """Return the key under which the preview of a phrase is kept."""
    return fingerprint(url=client.url, key=api_key, phrase=what.phrase, space=what.space, threshold=what.threshold)


def chosen(shown: Sequence[str] | None, candidates: Sequence[Json]) -> tuple[list[str], list[str]]:
    """Return the ids to forget, and those that match now but were not in the preview the person saw.

    Args:
        shown: the ids of that preview; None when there was none, and the preview of this very run counts.
        candidates: what matches now.
    """
    now = [match["id"] for match in candidates]
    if shown is None:
        return now, []
    return [one for one in now if one in shown], [one for one in now if one not in shown]


def apply_command(ids: Sequence[str], space: str | None) -> str:
    """Return the command that forgets exactly these ids."""
    return shlex.join(["memlane", "forget", "--ids", ",".join(ids), *_space(space), "--yes"])


def _most(count: int) -> int:
    return max(1, min(count, MOST_FORGOTTEN))


def _space(space: str | None) -> list[str]:
    return ["--container-tag", space] if space else []

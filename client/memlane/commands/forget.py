"""`memlane forget`."""

import os
import time
from typing import Any

import click

from memlane import forgetting, views
from memlane.call import WORDS, Call, asks, space
from memlane.errors import NotFound
from memlane.forgetting import Target
from memlane.http import Json
from memlane.previews import Previews, PreviewsUnusable, state_file


@click.command()
@click.argument("words", nargs=-1, type=WORDS, metavar="[PHRASE | ID...]")
@click.option("--ids", multiple=True, type=WORDS, metavar="ID,...", help="Exactly these, may be repeated.")
@click.option("--yes", is_flag=True, help="Forget what the preview showed; without it nothing is changed.")
@click.option("--threshold", type=click.FloatRange(0, 1), help="Least similarity to the phrase, 0 to 1; else 0.5.")
@click.option("--max", "most", type=click.IntRange(1, 500), help="Most memories; else 100.")
@click.option("--reason", type=WORDS, help="Kept with each forgotten memory.")
@space
@asks
def forget(
    call: Call, words: tuple[str, ...], ids: tuple[str, ...], yes: bool, reason: str | None, **where: Any
) -> int:
    """Preview what would be forgotten. With --yes exactly that is forgotten, reversibly.

    A phrase must match as a whole. After a preview of it, --yes forgets only what that preview showed.
    """
    what = forgetting.target(words, ids, **where)
    seen = forgetting.preview(call.client, what)
    if not seen["candidates"]:
        what_failed = "No such memory is live" if what.phrase is None else "No memory matches that phrase as a whole"
        raise NotFound(f"{what_failed}; nothing was changed.", code="not_found")
    return _apply(call, what, seen, reason) if yes else _preview(call, what, seen)


def _preview(call: Call, what: Target, seen: Json) -> int:
    call.output.show(seen, views.candidates)
    if what.phrase is None:
        return 0
    try:
        _previews().keep(forgetting.key_of(call.client, what, call.api_key), [one["id"] for one in seen["candidates"]])
    except PreviewsUnusable as error:
        call.output.note(f"This preview could not be kept: {error.message} Use the command above, not --yes alone.")
    return 0


def _apply(call: Call, what: Target, seen: Json, reason: str | None) -> int:
    shown = _previews().take(forgetting.key_of(call.client, what, call.api_key)) if what.phrase else None
    ids, newer = forgetting.chosen(shown, seen["candidates"])
    if not ids:
        raise NotFound("Nothing that the preview showed is left to forget; nothing was changed.", code="not_found")
    answer = forgetting.apply(call.client, what, ids, reason=reason)
    call.output.show({**answer, "left": newer}, views.forgotten)
    if newer:
        call.output.note(f"{len(newer)} more match now but were not in the preview; they were left alone.")
    call.warn(answer)
    return 0 if answer["forgotten"] or answer.get("status") == "pending" else call.nothing("Nothing was forgotten.")


def _previews() -> Previews:
    return Previews(state_file(os.environ), now=time.time())

"""`memlane ask`."""

from typing import Any

import click

from memlane import views
from memlane.call import WORDS, Call, as_of, asks, joined, known_at, narrows, spaces


@click.command()
@click.argument("words", nargs=-1, required=True, type=WORDS, metavar="QUESTION")
@spaces
@click.option("--limit", type=click.IntRange(1, 100), help="Most pieces of evidence; else 10.")
@narrows
@as_of
@known_at
@asks
def ask(call: Call, words: tuple[str, ...], **options: Any) -> int:
    """Answer a question with citations; exits 4 if none is known."""
    answer = call.client.ask(joined(words, "question"), **options)
    call.output.show(answer, views.answered)
    call.warn(answer)
    return 0 if answer["citations"] else call.nothing("Nothing is known about that.")

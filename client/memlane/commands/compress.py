"""`memlane compress`."""

from pathlib import Path

import click

from memlane import views
from memlane.call import WORDS, Call, asks
from memlane.texts import read_named


@click.command()
@click.argument("file", default="-", type=click.Path(exists=True, allow_dash=True, path_type=Path))
@click.option("--q", type=WORDS, metavar="QUESTION", help="What matters; else what the text itself is about.")
@click.option("--budget", type=click.IntRange(min=1), metavar="TOKENS", help="Most tokens to keep.")
@asks
def compress(call: Call, file: Path, q: str | None, budget: int | None) -> None:
    """Cut a text down to what matters. Reads a file, else standard input; the text alone goes to standard output."""
    answer = call.client.compress(read_named(file), q=q, budget=budget)
    call.output.show(answer, views.compressed)
    tokens = answer["tokens"]
    call.output.note(f"{tokens['context']} of {tokens['source']} tokens kept (ratio {answer['ratio']:g})")
    call.warn(answer)

"""`memlane search`."""

import json
from typing import Any

import click

from memlane import views
from memlane.call import WORDS, Call, as_of, asks, joined, known_at, narrows, spaces


def _filters(ctx: click.Context, param: click.Parameter, value: str | None) -> Any:
    try:
        return json.loads(value) if value else None
    except ValueError as error:
        raise click.BadParameter(f"is not JSON: {error}") from error


@click.command()
@click.argument("words", nargs=-1, required=True, type=WORDS, metavar="QUERY")
@spaces
@click.option("--mode", type=click.Choice(["memories", "hybrid", "documents"]), help="What to search; else memories.")
@click.option("--limit", type=click.IntRange(1, 100), help="Most results; else 10.")
@click.option("--threshold", type=click.FloatRange(0, 1), help="Least similarity, 0 to 1; else 0.")
@click.option(
    "--filters", metavar="JSON", callback=_filters, help='Metadata, as {"AND": [{"key": ..., "value": ...}]}.'
)
@click.option("--rerank", is_flag=True, default=None, help="Read the best candidates again with the reranker.")
@click.option("--explain", is_flag=True, default=None, help="Show each arm's part of the score.")
@narrows
@as_of
@known_at
@asks
def search(call: Call, words: tuple[str, ...], **options: Any) -> int:
    """Search memories and documents; exits 4 if nothing is found."""
    answer = call.client.search(joined(words, "query"), **options)
    call.output.show(answer, views.found)
    call.warn(answer)
    return 0 if answer["results"] else call.nothing(answer.get("reason") or "Nothing was found.")

"""`memlane remember`."""

import click

from memlane import views
from memlane.call import WORDS, Call, asks, joined, merged, metadata, space
from memlane.texts import read_stdin


@click.command()
@click.argument("facts", nargs=-1, required=True, type=WORDS, metavar="FACT...")
@space
@metadata
@click.option("--static", is_flag=True, help="A fact that does not change, such as a birthday.")
@asks
def remember(
    call: Call, facts: tuple[str, ...], space: str | None, pairs: tuple[tuple[str, str], ...], static: bool
) -> None:
    """Write facts directly. Each argument is one; `-` reads one from standard input."""
    texts = [read_stdin() if fact == "-" else joined((fact,), "fact") for fact in facts]
    answer = call.client.remember(texts, space=space, static=static, metadata=merged(pairs))
    call.output.show(answer, views.remembered)
    call.warn(answer)
    for conflict in answer.get("conflicts", ()):
        call.output.note(f"This contradicts what is known: see `memlane conflicts show {conflict}`.")

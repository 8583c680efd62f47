"""`memlane erase` and `memlane erasures`."""

import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any

import click

from memlane.call import WORDS, Call, asks, space
from memlane.erasures import ended
from memlane.errors import MemlaneError
from memlane.render import Block, Rows

Json = Mapping[str, Any]


@click.command()
@click.option("--subject", type=WORDS, metavar="USER", help="Whatever belongs to this user, in every space.")
@click.option(
    "--document", type=WORDS, metavar="ID", help="A document, by id or customId, with what rests on it alone."
)
@click.option("--memory", type=WORDS, metavar="ID", help="A memory with all its versions; its sources stay.")
@click.option("--space", "whole", type=WORDS, metavar="SPACE", help="A whole space.")
@click.option("--tenant", type=WORDS, metavar="NAME", help="Everything the key's tenant has; spell out its name.")
@click.option("--verify", is_flag=True, help="Compare the server's files with the erased texts afterwards.")
@click.option("--yes", is_flag=True, help="Erase without asking.")
@space
@asks
def erase(call: Call, yes: bool, verify: bool, space: str | None, whole: str | None, **named: str | None) -> int:
    """Erase something for good.

    Nothing of it is left in the server's files, and nothing restores it. Shows first what it would reach, and asks.
    Exits 1 when it failed or when the comparison found something.
    """
    kind, value = _the_one({**named, "space": whole})
    what: dict[str, Any] = {"target": None if kind == "tenant" else value, "space": space}
    seen = call.client.erase(kind, dry_run=True, **what)
    if not yes and not _agreed(call, seen):
        return 0
    confirm = value if kind == "tenant" else None
    receipt = call.client.erase(kind, verify=verify, confirm=confirm, **what)
    receipt = ended(call.client, receipt, tell=call.output.note, pause=time.sleep)
    call.output.show(receipt, receipt_view)
    return _code(receipt)


def _the_one(named: Mapping[str, str | None]) -> tuple[str, str]:
    """Return the kind and the name of what is to be erased."""
    given = [(kind, value) for kind, value in named.items() if value is not None]
    if len(given) != 1:
        raise click.UsageError("Name one of --subject, --document, --memory, --space and --tenant.")
    return given[0]


def _agreed(call: Call, seen: Json) -> bool:
    """Show what would be erased and ask, where somebody can answer."""
    if call.output.as_json or not sys.stdin.isatty():
        call.output.show(seen, counts_view)
        raise click.UsageError("Nothing was changed; say --yes to erase.")
    for name, number in seen["counts"].items():
        call.output.note(f"{number} {name.replace('_', ' ')}")
    if click.confirm("Erase this for good?", err=True):
        return True
    call.output.note("Nothing was changed.")
    return False


def _code(receipt: Json) -> int:
    if receipt["state"] == "failed":
        raise MemlaneError(f"The erasure failed: {receipt.get('waits_for')}", code="erasure_failed")
    proof = receipt.get("verification") or {}
    return 1 if proof.get("found") or "not_possible" in proof else 0


@click.command()
@click.option("--limit", type=click.IntRange(1, 200), default=50, show_default=True, help="Most receipts.")
@asks
def erasures(call: Call, limit: int) -> None:
    """List the receipts of erasures, newest first."""
    call.output.show(call.client.erasures(limit=limit)["erasures"], receipts_view)


def counts_view(seen: Json) -> Iterator[Block]:
    """Show what would be erased."""
    yield Rows(columns=("what", "number"), rows=list(seen["counts"].items()))


def receipt_view(receipt: Json) -> Iterator[Block]:
    """Show one receipt: what went, and what the comparison found."""
    yield f"{receipt['id']}  {receipt['kind']}  {receipt['state']}"
    yield Rows(columns=("what", "number"), rows=list(receipt["counts"].items()))
    proof = receipt.get("verification")
    if proof:
        yield Rows(columns=("comparison", "value"), rows=[(name, _plain(value)) for name, value in proof.items()])


def receipts_view(found: list[Json]) -> Iterator[Block]:
    """Show receipts."""
    rows = [
        (one["id"], one["kind"], one["state"], one["requested_at"], one["finished_at"], one.get("waits_for"))
        for one in found
    ]
    yield Rows(columns=("id", "kind", "state", "requested", "finished", "waits for"), rows=rows)


def _plain(value: Any) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)

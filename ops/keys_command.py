"""`memlane keys`: make, list and revoke API keys, on the machine that holds the data folder."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from memory.errors import MemlaneError, NotFound
from memory.records import Micros
from memory.temporal import to_iso
from services import keys
from services.clock import system_clock
from services.environment import read_settings
from services.identifiers import TimeSortedIds
from services.keys import ControlHost, Key, KeyActor

DAY: Micros = 24 * 3600 * 1_000_000

data_dir_option = click.option("--data-dir", help="Folder of the store (MEMLANE_DATA_DIR).")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


class NoSuchKey(click.ClickException):
    """There is no key of that id; the exit code is that of every command for an unknown id."""

    exit_code = 4


@click.group("keys")
def keys_group() -> None:
    """Make, list and revoke API keys."""


@keys_group.command("create")
@data_dir_option
@json_option
@click.option("--label", required=True, help="What the key is for.")
@click.option("--tenant", default=keys.DEFAULT_TENANT, show_default=True, help="Whose data it opens.")
@click.option("--actor", type=click.Choice(("person", "agent", "service")), default="agent", show_default=True,
              help="Who acts with it; only a person approves and wins.")  # fmt: skip
@click.option("--space", "spaces", multiple=True, help="A space it is limited to; may be repeated.")
@click.option("--read-only", is_flag=True, help="It may read only.")
@click.option("--user", help="The user it is bound to.")
@click.option("--agent", help="The agent it is bound to.")
@click.option("--days", type=click.IntRange(1, 36_500), help="After so many days it ends; never when left out.")
def create(data_dir: str | None, as_json: bool, spaces: tuple[str, ...], days: int | None, **limits: Any) -> None:
    """Make a key and print its secret, which is not shown again."""
    with _control(data_dir) as host:
        expires = host.clock() + days * DAY if days is not None else None
        made = _create(host, spaces=spaces or None, expires_at=expires, **limits)
    # The secret alone goes to standard output, so that a script can take it.
    click.echo(f"{made.key.id} is made. This is its secret; it is not shown again:", err=True)
    click.echo(json.dumps({**_fields(made.key), "secret": made.secret}) if as_json else made.secret)


@keys_group.command("list")
@data_dir_option
@json_option
@click.option("--tenant", help="Only of this tenant.")
def list_keys(data_dir: str | None, as_json: bool, tenant: str | None) -> None:
    """List keys, oldest first; secrets are not kept."""
    with _control(data_dir) as host:
        found, now = keys.listing(host, tenant=tenant), host.clock()
    if as_json:
        click.echo(json.dumps([_fields(key) for key in found]))
        return
    for key in found:
        click.echo(_line(key, now))
    if not found:
        click.echo("No keys.", err=True)


@keys_group.command("revoke")
@data_dir_option
@json_option
@click.argument("key_id", metavar="ID")
def revoke(data_dir: str | None, as_json: bool, key_id: str) -> None:
    """End a key now."""
    with _control(data_dir) as host:
        ended = keys.revoke(host, key_id)
    click.echo(json.dumps(_fields(ended)) if as_json else f"{ended.id} is revoked.")


@contextmanager
def _control(data_dir: str | None) -> Iterator[ControlHost]:
    given = {"data_dir": data_dir} if data_dir is not None else {}
    try:
        settings = read_settings(os.environ, **given)
        clock = system_clock
        with keys.opened(Path(settings.data_dir), clock=clock, new_id=TimeSortedIds(clock)) as host:
            yield host
    except MemlaneError as error:
        failure = NoSuchKey if isinstance(error, NotFound) else click.ClickException
        raise failure(error.message) from error


def _create(host: ControlHost, *, actor: KeyActor, **limits: Any) -> keys.NewKey:
    return keys.create(host, actor_kind=actor, **limits)


def _fields(key: Key) -> dict[str, Any]:
    return {
        "id": key.id, "tenant": key.tenant, "label": key.label, "actor": key.actor_kind,
        "spaces": list(key.spaces) if key.spaces is not None else None, "user": key.user, "agent": key.agent,
        "read_only": key.read_only, "created_at": to_iso(key.created_at, None),
        "expires_at": to_iso(key.expires_at, None) if key.expires_at is not None else None,
        "revoked_at": to_iso(key.revoked_at, None) if key.revoked_at is not None else None,
    }  # fmt: skip


def _line(key: Key, now: Micros) -> str:
    state = "revoked" if key.revoked_at is not None else "valid" if key.valid(now) else "expired"
    rights = "reads" if key.read_only else "reads and writes"
    places = ", ".join(key.spaces) if key.spaces is not None else "every space"
    return f"{key.id}  {state}  {key.tenant}  {key.actor_kind}  {rights} {places}  {key.label}"

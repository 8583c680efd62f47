"""`memlane keys`: make, list, rotate and end API keys, on the machine of the store or over HTTP."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable
from typing import Any

import click

from memory.errors import MemlaneError
from memory.settings import Settings
from ops import key_access
from ops.key_access import Keys
from services import keys
from services.control import Json
from services.environment import read_settings
from services.key_changes import LONGEST_OVERLAP_SECONDS

data_dir_option = click.option("--data-dir", help="Folder of the store (MEMLANE_DATA_DIR).")
tenant_option = click.option(
    "--tenant", default=keys.DEFAULT_TENANT, show_default=True, help="Whose key it is; on a folder `revoke` needs none."
)
HOUR = 3600


def works(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that say where it works, and the keys there."""

    @data_dir_option
    @click.option("--url", metavar="URL", help="A server to ask with MEMLANE_ADMIN_KEY, in place of the folder.")
    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    @functools.wraps(function)
    def run(*, data_dir: str | None, url: str | None, as_json: bool, **options: Any) -> None:
        # A key may be needed before the first start; there is nothing else to do with keys in an empty folder.
        makes_store = function.__name__ == "create"
        with key_access.opened(_settings(data_dir), url, makes_store=makes_store) as found:
            function(found, as_json, **options)

    return run


@click.group("keys")
def keys_group() -> None:
    """Make, list, rotate and end API keys."""


@keys_group.command("create")
@click.option("--label", required=True, help="What the key is for.")
@tenant_option
@click.option("--actor", type=click.Choice(("person", "agent", "service")), default="agent", show_default=True,
              help="Who acts with it; only a person approves and wins.")  # fmt: skip
@click.option("--space", "spaces", multiple=True, help="A space it is limited to; may be repeated.")
@click.option("--read-only", is_flag=True, help="It may read only.")
@click.option("--user", help="The user it is bound to.")
@click.option("--agent", help="The agent it is bound to.")
@click.option("--days", type=click.IntRange(1, 36_500), help="After so many days it ends; never when left out.")
@works
def create(found: Keys, as_json: bool, tenant: str, label: str, spaces: tuple[str, ...], **limits: Any) -> None:
    """Make a key and print its secret, which is not shown again."""
    _show_secret(found.create(tenant, label, spaces=spaces or None, **limits), as_json)


@keys_group.command("list")
@click.option("--tenant", help="Only of this tenant.")
@works
def list_keys(found: Keys, as_json: bool, tenant: str | None) -> None:
    """List keys, oldest first; secrets are not kept."""
    listed = list(found.listing(tenant))
    if as_json:
        click.echo(json.dumps(listed))
        return
    for key in listed:
        click.echo(_line(key))
    if not listed:
        click.echo("No keys.", err=True)


@keys_group.command("rotate")
@click.argument("key_id", metavar="ID")
@tenant_option
@click.option("--overlap-hours", type=click.IntRange(0, LONGEST_OVERLAP_SECONDS // HOUR), default=0, show_default=True,
              help="How long the old key goes on; 0: it ends now.")  # fmt: skip
@works
def rotate(found: Keys, as_json: bool, key_id: str, tenant: str, overlap_hours: int) -> None:
    """Make a key with the same limits in the place of another, and print its secret."""
    _show_secret(found.rotate(tenant, key_id, overlap_seconds=overlap_hours * HOUR), as_json)


@keys_group.command("expire")
@click.argument("key_id", metavar="ID")
@tenant_option
@click.option("--days", type=click.IntRange(1, 36_500), required=True, help="After so many days it ends.")
@works
def expire(found: Keys, as_json: bool, key_id: str, tenant: str, days: int) -> None:
    """Let a key end later."""
    changed = found.expire(tenant, key_id, seconds=days * 24 * HOUR)
    click.echo(json.dumps(changed) if as_json else f"{key_id} ends at {changed['expires_at']}.")


@keys_group.command("revoke")
@click.argument("key_id", metavar="ID")
@tenant_option
@works
def revoke(found: Keys, as_json: bool, key_id: str, tenant: str) -> None:
    """End a key now."""
    ended = found.revoke(tenant, key_id)
    click.echo(json.dumps(ended) if as_json else f"{key_id} is revoked.")


@keys_group.command("admin")
@data_dir_option
@click.option("--yes", is_flag=True, help="Do not ask.")
def new_admin_key(data_dir: str | None, yes: bool) -> None:
    """Make another admin key, end the one before, and print its secret, which is not shown again."""
    if not yes:
        click.confirm("The admin key that is in use ends at once. Go on?", abort=True, err=True)
    click.echo(key_access.new_admin_key(_settings(data_dir)))


def _settings(data_dir: str | None) -> Settings:
    try:
        return read_settings(os.environ, **({"data_dir": data_dir} if data_dir is not None else {}))
    except MemlaneError as error:
        raise click.ClickException(error.message) from error


def _show_secret(made: Json, as_json: bool) -> None:
    # The secret alone goes to standard output, so that a script can take it.
    click.echo(f"{made['id']} is made. This is its secret; it is not shown again:", err=True)
    click.echo(json.dumps(made) if as_json else made["secret"])


def _line(key: Json) -> str:
    rights = "reads" if key["read_only"] else "reads and writes"
    places = ", ".join(key["spaces"]) if key["spaces"] is not None else "every space"
    ends = f"ends {key['expires_at']}" if key["expires_at"] else "never ends"
    used = f"used {key['last_used_at']}" if key["last_used_at"] else "never used"
    return "  ".join(
        (key["id"], key["state"], key["tenant"], key["actor"], f"{rights} {places}", ends, used, str(key["label"]))
    )

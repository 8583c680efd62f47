"""`memlane tenants`: make, list, rename and disable tenants, and say who their people are."""

import functools
from collections.abc import Callable, Iterator
from typing import Any

import click

from memlane.administration import Administration
from memlane.call import WORDS
from memlane.connected import Json
from memlane.errors import MemlaneError
from memlane.groups import ListsByDefault
from memlane.http import DEFAULT_URL
from memlane.render import Block, Output, Rows

ROLES = click.Choice(("owner", "editor", "reader"))
tenant_argument = click.argument("tenant", type=WORDS, metavar="TENANT")
member_argument = click.argument("member_id", type=WORDS, metavar="ID")


def administers(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command its options, a client of the control plane and an output, and turn errors into exit codes.

    There is no option for the key: what is on a command line is seen by everybody on the machine.
    """

    @click.option("--json", "as_json", is_flag=True, help="Print JSON on standard output and nothing else there.")
    @click.option("--url", metavar="URL", help=f"The server; else MEMLANE_URL, else {DEFAULT_URL}.")
    @functools.wraps(function)
    def run(*, as_json: bool, url: str | None, **options: Any) -> None:
        output = Output(as_json=as_json)
        code = 0
        try:
            with Administration(url) as client:
                function(client, output, **options)
        except MemlaneError as error:
            output.fail(error)
            code = error.exit_code
        click.get_current_context().exit(code)

    return run


@click.group(cls=ListsByDefault)
def tenants() -> None:
    """Make, list and disable tenants, name their people.

    Takes the admin key, from MEMLANE_ADMIN_KEY; on the server's own machine none is needed.
    """


@tenants.command("list")
@administers
def list_tenants(client: Administration, output: Output) -> None:
    """List tenants, oldest first."""
    output.show(client.tenants(), tenants_view)


@tenants.command()
@tenant_argument
@click.option("--name", type=WORDS, help="What a person calls it; else its id.")
@administers
def create(client: Administration, output: Output, tenant: str, name: str | None) -> None:
    """Make a tenant, named by an id of a-z, 0-9, `-` and `_`."""
    output.show(client.create_tenant(tenant, name=name), tenant_view)


@tenants.command()
@tenant_argument
@click.argument("name", type=WORDS, metavar="NAME")
@administers
def rename(client: Administration, output: Output, tenant: str, name: str) -> None:
    """Give a tenant another name; its id stays."""
    output.show(client.edit_tenant(tenant, name=name), tenant_view)


@tenants.command()
@tenant_argument
@administers
def disable(client: Administration, output: Output, tenant: str) -> None:
    """Refuse the keys and people of a tenant; nothing of it is lost."""
    output.show(client.edit_tenant(tenant, disabled=True), tenant_view)


@tenants.command()
@tenant_argument
@administers
def enable(client: Administration, output: Output, tenant: str) -> None:
    """Put a disabled tenant back into use."""
    output.show(client.edit_tenant(tenant, disabled=False), tenant_view)


@tenants.command()
@click.option("--limit", type=click.IntRange(1, 200), default=50, show_default=True, help="Most changes.")
@administers
def changes(client: Administration, output: Output, limit: int) -> None:
    """List who changed which tenant, key or member, newest first."""
    output.show(client.admin_changes(limit=limit), changes_view)


@tenants.group()
def members() -> None:
    """List the people of a tenant, add them, change their role, remove them."""


@members.command("list")
@tenant_argument
@administers
def list_members(client: Administration, output: Output, tenant: str) -> None:
    """List the members of a tenant, oldest first."""
    output.show(client.members(tenant), members_view)


@members.command("add")
@tenant_argument
@click.option("--role", type=ROLES, required=True, help="What they may do.")
@click.option("--subject", type=WORDS, help="The issuer's name of the person.")
@click.option("--email", type=WORDS, help="Or an address that the issuer has verified.")
@administers
def add_member(client: Administration, output: Output, tenant: str, role: str, **named: str | None) -> None:
    """Make a person a member of a tenant."""
    output.show([client.add_member(tenant, role, **named)], members_view)


@members.command("role")
@tenant_argument
@member_argument
@click.argument("role", type=ROLES, metavar="ROLE")
@administers
def edit_member(client: Administration, output: Output, tenant: str, member_id: str, role: str) -> None:
    """Give a member another role."""
    output.show([client.edit_member(tenant, member_id, role)], members_view)


@members.command("remove")
@tenant_argument
@member_argument
@administers
def remove_member(client: Administration, output: Output, tenant: str, member_id: str) -> None:
    """Let a person be no member any more."""
    client.remove_member(tenant, member_id)
    output.show({"id": member_id, "removed": True}, lambda _: [f"{member_id} is no member any more."])


def tenant_view(one: Json) -> Iterator[Block]:
    """Show one tenant."""
    yield f"{one['id']}  {'disabled' if one['disabled'] else 'in use'}  {one['name']}"


def tenants_view(found: list[Json]) -> Iterator[Block]:
    """Show tenants."""
    rows = [(one["id"], "disabled" if one["disabled"] else "in use", one["created_at"], one["name"]) for one in found]
    yield Rows(columns=("tenant", "state", "created", "name"), rows=rows)


def members_view(found: list[Json]) -> Iterator[Block]:
    """Show members."""
    rows = [(one["id"], one["role"], one["email"], one["subject"], one["last_used_at"]) for one in found]
    yield Rows(columns=("member", "role", "e-mail", "subject", "last used"), rows=rows)


def changes_view(found: list[Json]) -> Iterator[Block]:
    """Show changes."""
    rows = [
        (one["at"], one["action"], one["tenant"], one["target"], f"{one['actor']['kind']} {one['actor']['id']}")
        for one in found
    ]
    yield Rows(columns=("at", "action", "tenant", "what", "by"), rows=rows)

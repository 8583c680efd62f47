"""Which model servers the agent runs: `--serve role=command` or a TOML file with a table for each role."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from memory.errors import InvalidInput
from memory.fleet import Role

ROLES: tuple[Role, ...] = get_args(Role)
_FIELDS = {"command", "environment", "memory_bytes"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerCommand:
    """How one model server is started."""

    role: Role
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)  # on top of the agent's; may hold keys
    memory_bytes: int | None = None  # wins over the inventory's cap


def parse_serve(text: str) -> ServerCommand:
    """Read one `--serve`.

    Args:
        text: `role=command`, the command quoted as for a shell, which is not used.

    Returns:
        The command.

    Raises:
        InvalidInput: an unknown role or no command.
    """
    role, _, line = text.partition("=")
    return ServerCommand(role=_role(role.strip(), "serve"), command=_words(line, "serve"))


def read_commands(text: str) -> tuple[ServerCommand, ...]:
    """Read a file of commands.

    Args:
        text: TOML: a table for each role with `command` (text or a list of texts), and where wanted `environment` (a
            table of texts) and `memory_bytes`.

    Returns:
        The commands in the order of the file.

    Raises:
        InvalidInput: not TOML, an unknown role or field, or a field of the wrong type.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"The file of model servers is not TOML: {error}.", field="servers") from error
    return tuple(_command(name, table) for name, table in tables.items())


def combined(commands: tuple[ServerCommand, ...]) -> tuple[ServerCommand, ...]:
    """Check that no role is served twice.

    Args:
        commands: of the command line and the file.

    Returns:
        The same.

    Raises:
        InvalidInput: a role is named twice.
    """
    roles = [command.role for command in commands]
    for role in roles:
        if roles.count(role) > 1:
            raise InvalidInput(f"There are two commands for the role {role}.", field="serve")
    return commands


def _command(name: str, table: Any) -> ServerCommand:
    role = _role(name, name)
    if not isinstance(table, dict) or not set(table) <= _FIELDS:
        raise InvalidInput(f"[{name}] may have the fields {', '.join(sorted(_FIELDS))} and no other.", field=name)
    return ServerCommand(
        role=role,
        command=_words(table.get("command"), f"{name}.command"),
        environment=_environment(table.get("environment", {}), f"{name}.environment"),
        memory_bytes=_bytes(table.get("memory_bytes"), f"{name}.memory_bytes"),
    )


def _role(name: str, place: str) -> Role:
    for role in ROLES:
        if role == name:
            return role
    raise InvalidInput(f"{name!r} is not a role; there are {', '.join(ROLES)}.", field=place)


def _words(given: Any, place: str) -> tuple[str, ...]:
    try:
        words = shlex.split(given) if isinstance(given, str) else given
    except ValueError as error:
        raise InvalidInput(f"{place}: {error}.", field=place) from error
    if not isinstance(words, list) or not words or not all(isinstance(word, str) and word for word in words):
        raise InvalidInput(f"{place} needs a command: text, or a list of texts.", field=place)
    return tuple(words)


def _environment(table: Any, place: str) -> Mapping[str, str]:
    if not isinstance(table, dict) or not all(isinstance(value, str) for value in table.values()):
        raise InvalidInput(f"{place} has to be a table of texts.", field=place)
    return dict(table)


def _bytes(value: Any, place: str) -> int | None:
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value <= 0):
        raise InvalidInput(f"{place} has to be a number of bytes above 0.", field=place)
    return value

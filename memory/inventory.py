"""The inventory of the fleet: one TOML file with a table for each node, or the one node of a single machine."""

from __future__ import annotations

import difflib
import json
import math
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from memory.errors import InvalidInput
from memory.fleet import LANES, FleetNode

# Broker key that the host publishes the inventory under; it lives until it is replaced.
INVENTORY_KEY = "inventory"
# Without a file there is this node. It has no ports: the settings of its processes say where its servers are.
LOCAL: tuple[FleetNode, ...] = (FleetNode(name="local"),)

PORTS = ("embed_port", "rerank_port", "llm_port")
# Goes into queue names, worker names and broker keys, so neither `@`, `:` nor white space.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
_HOST = re.compile(r"[A-Za-z0-9._:-]{1,253}")
# Far beyond what one machine's model servers take at a time; a larger number is a slip.
_MOST_SLOTS = 256


def parse(text: str) -> tuple[FleetNode, ...]:
    """Read an inventory file.

    Args:
        text: TOML with one `[[node]]` table for each node; the fields are those of `FleetNode`, `name` and a port of
            at least one server are required.

    Returns:
        The nodes in the order of the file.

    Raises:
        InvalidInput: it is not TOML, has no node, or a field is unknown, wrong or missing; the message names table and
            field.
    """
    try:
        read = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"The inventory is not valid TOML: {error}.", field="nodes") from error
    for name in read:
        if name != "node":
            raise InvalidInput(f"The inventory has an unknown table {name!r}; each node is a [[node]].", field=name)
    nodes = _nodes(read.get("node"))
    for number, node in enumerate(nodes):
        if all(getattr(node, field) is None for field in PORTS):
            wanted = ", ".join(f"`{field}`" for field in PORTS)
            message = f"node[{number}] ({node.name}): no port; give at least one of {wanted}, or it could do nothing."
            raise InvalidInput(message, field=f"node[{number}]")
    return nodes


def encode(nodes: Sequence[FleetNode]) -> str:
    """Write an inventory as JSON, as the host publishes it.

    Args:
        nodes: of the fleet.

    Returns:
        A list of objects with the fields of `FleetNode`.
    """
    return json.dumps([asdict(node) for node in nodes])


def decode(text: str | bytes) -> tuple[FleetNode, ...]:
    """Read an inventory as the host published it.

    Args:
        text: of `encode`.

    Returns:
        The nodes.

    Raises:
        InvalidInput: it is no inventory.
    """
    try:
        return _nodes(json.loads(text))
    except ValueError as error:
        raise InvalidInput(f"The published inventory cannot be read: {error}", field="nodes") from error


def _nodes(tables: Any) -> tuple[FleetNode, ...]:
    if not isinstance(tables, list) or not tables:
        raise InvalidInput("The inventory names no node; write one [[node]] table for each.", field="node")
    nodes = tuple(_node(f"node[{number}]", table) for number, table in enumerate(tables))
    _refuse_shared(nodes)
    return nodes


def _node(place: str, table: Any) -> FleetNode:
    if not isinstance(table, Mapping):
        raise InvalidInput(f"{place} must be a table.", field=place)
    label = f"{place} ({table['name']})" if isinstance(table.get("name"), str) else place
    for field, value in table.items():
        if field not in _CHECKS:
            close = difflib.get_close_matches(field, _CHECKS, n=1)
            hint = f"Did you mean `{close[0]}`?" if close else f"Known here: {', '.join(_CHECKS)}."
            raise InvalidInput(f"{label}: `{field}` is not a field of a node.", field=f"{place}.{field}", hint=hint)
        wanted, fits = _CHECKS[field]
        # What is left out keeps its default; JSON writes that as null.
        if not (fits(value) or (value is None and _DEFAULTS.get(field, "") is None)):
            raise InvalidInput(f"{label}: `{field}` must be {wanted}, not {value!r}.", field=f"{place}.{field}")
    if "name" not in table:
        raise InvalidInput(f"{place}: `name` is missing.", field=f"{place}.name")
    node = FleetNode(**table)
    if node.hot_celsius >= node.too_hot_celsius:
        message = f"{label}: `hot_celsius` must be below `too_hot_celsius` ({node.too_hot_celsius:g})."
        raise InvalidInput(message, field=f"{place}.hot_celsius")
    return node


def _refuse_shared(nodes: Sequence[FleetNode]) -> None:
    names: set[str] = set()
    addresses: dict[tuple[str, int], str] = {}
    for number, node in enumerate(nodes):
        if node.name in names:
            raise InvalidInput(f"Two nodes are named {node.name!r}.", field=f"node[{number}].name")
        names.add(node.name)
        for field in PORTS:
            port = getattr(node, field)
            if port is None:
                continue
            place = f"node[{number}] ({node.name})"
            if (other := addresses.setdefault((node.host, port), place)) != place or _doubled(node, port):
                message = f"{place}: `{field}` {port} at {node.host} is another server of {other} already."
                raise InvalidInput(message, field=f"node[{number}].{field}")


def _doubled(node: FleetNode, port: int) -> bool:
    return [getattr(node, field) for field in PORTS].count(port) > 1


def _text(pattern: re.Pattern[str]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


def _whole(least: int, most: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _positive(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value > 0


_PORT = ("a port from 1 to 65535", _whole(1, 65535))
_CELSIUS = ("a temperature above 0 in degrees Celsius", _positive)
_CHECKS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "name": ("1 to 63 letters, digits, '.', '_' or '-'", _text(_NAME)),
    "card": ("a whole number from 0", _whole(0, 10_000)),
    "lane": (" or ".join(map(repr, LANES)), lambda value: value in LANES),
    "host": ("a host name or address without a port", _text(_HOST)),
    "embed_port": _PORT,
    "rerank_port": _PORT,
    "llm_port": _PORT,
    "slots": (f"a whole number from 1 to {_MOST_SLOTS}", _whole(1, _MOST_SLOTS)),
    "lendable": ("true or false", lambda value: isinstance(value, bool)),
    "busy_limit": ("a number above 0, a share of the cores", _positive),
    "hot_celsius": _CELSIUS,
    "too_hot_celsius": _CELSIUS,
    "memory_bytes": ("a whole number of bytes above 0", _whole(1, 2**63 - 1)),
}
_DEFAULTS = {item.name: item.default for item in fields(FleetNode)}

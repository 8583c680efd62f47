"""A node's report as it lies in the broker: JSON, read strictly, because other machines write it."""

from __future__ import annotations

import json
from dataclasses import asdict
from math import isfinite
from typing import Any

from pydantic import TypeAdapter, ValidationError

from memory.errors import InvalidInput
from memory.fleet import NodeReport

NODE = "node:"
# Three reports may be missed before nothing is known of a node.
LIFE_SECONDS = 10.0

_FORM: TypeAdapter[NodeReport] = TypeAdapter(NodeReport)


def node_key(node: str) -> str:
    """Return the key of a node's report.

    Args:
        node: its name.

    Returns:
        `node:<name>`.
    """
    return f"{NODE}{node}"


def encode(report: NodeReport) -> bytes:
    """Write a report.

    Args:
        report: any.

    Returns:
        JSON.
    """
    return json.dumps(asdict(report), allow_nan=False).encode()


def decode(text: bytes | str) -> NodeReport:
    """Read a report. Whoever can write to the broker can write this, so nothing in it is believed unchecked.

    Args:
        text: what `encode` wrote.

    Returns:
        The report.

    Raises:
        InvalidInput: not JSON, a field missing that must be there, an unknown one, or one of the wrong type.
    """
    try:
        report = _FORM.validate_json(text, strict=True, extra="forbid")
    except ValidationError as error:
        first: Any = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InvalidInput(f"The report of a node cannot be read: {place} {first['msg']}.", field=place) from error
    if not all(isfinite(number) for number in (report.load, report.celsius or 0.0)):
        raise InvalidInput("The report of a node cannot be read: a number in it is not finite.", field="load")
    return report

"""Exports in tests: their lines, and what is made of them by hand."""

from __future__ import annotations

import hashlib
import io
import json
from collections import Counter
from typing import Any

from memory.records import Scope
from services import exporting
from tests.pipeline import HOME, Pipeline

LINES = "application/x-ndjson"


def export(pipeline: Pipeline, scope: Scope = HOME, **options: bool) -> bytes:
    """Return an export of a whole tenant without vectors, unless told otherwise."""
    out = io.BytesIO()
    exporting.write(scope, pipeline.host, out.write, **{"vectors": False, "whole": True, **options})
    return out.getvalue()


def lines(raw: bytes) -> list[dict[str, Any]]:
    """Return the lines of an export."""
    return [json.loads(line) for line in raw.split(b"\n") if line]


def body(raw: bytes) -> list[bytes]:
    """Return the lines but the first and the last, which name a time and a hash."""
    return raw.split(b"\n")[1:-2]


def signed(told: list[dict[str, Any]]) -> bytes:
    """Return lines with a last one that fits them."""
    inner = [line for line in told if line["line"] != "end"]
    raw = b"".join(json.dumps(line).encode() + b"\n" for line in inner)
    counts = Counter(line["line"] for line in inner[1:])
    end = {"line": "end", "lines": len(inner) - 1, "counts": counts, "sha256": hashlib.sha256(raw).hexdigest()}
    return raw + json.dumps(end).encode() + b"\n"


def send(client: Any, raw: bytes, **more: Any) -> Any:
    """Send an export to be imported."""
    return client.post("/v1/import", data=raw, content_type=more.pop("content_type", LINES), **more)

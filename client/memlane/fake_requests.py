"""Requests as the fake server sees them: JSON bodies, and forms with a file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import Message
from typing import Any

Json = dict[str, Any]
Answer = tuple[int, Any, dict[str, str]]  # status, body, headers


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request as it arrived."""

    method: str
    path: str  # without the query
    query: dict[str, str]
    body: Any
    headers: dict[str, str]  # names in lower case


def body_of(headers: Message, raw: bytes) -> Any:
    """Return the JSON of a body, or of a form its fields with the bytes of its file as `content`."""
    kind = headers.get("Content-Type") or ""
    if not kind.startswith("multipart/"):
        return json.loads(raw) if raw else None
    whole: Any = message_from_bytes(f"Content-Type: {kind}\r\n\r\n".encode() + raw, policy=policy.HTTP)
    fields: dict[str, Any] = {"customId": None}
    for part in whole.iter_parts():
        name = part.get_param("name", header="content-disposition")
        content: bytes = part.get_payload(decode=True)
        if name == "file":
            fields |= {"content": content.decode("latin-1"), "fileName": part.get_filename()}
        else:
            fields[str(name)] = content.decode("utf-8")
    return fields

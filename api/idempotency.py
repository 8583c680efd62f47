"""The header Idempotency-Key: a POST that is sent twice answers as the first time and does nothing."""

from __future__ import annotations

import hashlib
import json
import re

from flask import request

from api.body import json_object
from memory.errors import InvalidInput
from memory.records import Idempotency

HEADER = "Idempotency-Key"
KEY = re.compile(r"[\x21-\x7e]{1,255}")


def idempotency(route: str, *, body_hash: str | None = None) -> Idempotency | None:
    """Return what makes a repeated POST answer as the first did; None without the header.

    Args:
        route: names the route in the row that is kept.
        body_hash: of a body that is not JSON: equal for equal requests.

    Raises:
        InvalidInput: the header is not 1 to 255 visible ASCII characters.
    """
    key = request.headers.get(HEADER)
    if key is None:
        return None
    if not KEY.fullmatch(key):
        raise InvalidInput(f"`{HEADER}` must be 1 to 255 visible ASCII characters.", field=HEADER)
    return Idempotency(route=route, key=key, body_hash=body_hash or _body_hash())


def _body_hash() -> str:
    """Return the hex sha256 of the body's JSON with sorted keys: one for every spelling, and for no body and `{}`."""
    sent = json_object() if request.get_data(cache=True).strip() else {}
    canonical = json.dumps(sent, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()

"""ETag on reads: who asks again with the tag of what it has, and nothing is new, is answered 304 without a body.

A tag is strong: it is a hash over the very bytes of the answer. It is one over the caller too, so that a tag tells
nobody that somebody else was answered the same, and a cache that two callers share confuses nothing. The answer is made
before its tag is known: a 304 saves the way, never the check of what the caller may see.
"""

from __future__ import annotations

import hashlib

from flask import Request, Response

# 128 bits: two answers with one tag would have to be looked for on purpose.
TAG_BYTES = 16
# A private cache may keep the answer, and asks each time whether it still holds.
CACHING = "private, no-cache"


def tagged(request: Request, response: Response, who: str) -> Response:
    """Give the answer of a read its tag, and answer 304 when the caller has it already.

    Args:
        request: what came in.
        response: what goes out; anything but the whole 200 of a GET or HEAD is left as it is.
        who: names the caller.

    Returns:
        The response.
    """
    # A file on its way out has a length, and is larger than what may be read for a tag all the same.
    whole = not (response.is_streamed or response.direct_passthrough)
    if request.method not in ("GET", "HEAD") or response.status_code != 200 or not whole:
        return response
    response.set_etag(_tag(response.get_data(), who))
    response.headers["Cache-Control"] = CACHING
    response.headers["Vary"] = "Authorization, Accept, X-Memlane-Tenant"
    if request.if_none_match.contains_weak(response.get_etag()[0] or ""):
        response.status_code = 304
        response.set_data(b"")
        # What describes the body that is not sent would describe the caller's copy wrongly.
        for name in ("Content-Type", "Content-Length"):
            response.headers.pop(name, None)
    return response


def _tag(body: bytes, who: str) -> str:
    key = hashlib.blake2b(who.encode(), digest_size=32).digest()
    return hashlib.blake2b(body, key=key, digest_size=TAG_BYTES).hexdigest()

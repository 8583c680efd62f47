"""Fetches a page that a stranger named, hop by hop; each hop is judged as if it were the first.

The guard against forged requests is here and in the modules below: whatever a URL, a resolver or a server says, no
connection is made but to an address that `memory.networks` lets pass. Nothing is taken from the environment: no proxy,
no `.netrc`, no cookie jar.
"""

from __future__ import annotations

import re
from email.message import Message

from memory.errors import FetchFailed
from memory.networks import PUBLIC_ONLY, Reach
from services.fetching.exchange import Answer, exchange
from services.fetching.pinned import connected
from services.fetching.records import Deadline, Fetched, Limits
from services.fetching.resolving import Resolve, addresses, system_resolve
from services.fetching.targets import Target, follow, read

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
# Answers that may be others a moment later.
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
_CHARSET = re.compile(r"[A-Za-z0-9._:+-]{1,40}")


def fetch(
    url: str, *, limits: Limits | None = None, reach: Reach = PUBLIC_ONLY, resolve: Resolve = system_resolve
) -> Fetched:
    """Fetch a page.

    Args:
        url: as it was handed in.
        limits: what it may take; the usual when left out.
        reach: what may be contacted besides the public internet.
        resolve: asks for the addresses of a name.

    Returns:
        The page, with the URL that its last redirect led to.

    Raises:
        UrlRefused: the URL, or one that it leads to, may not be contacted.
        FetchFailed: there is no page, or it is too large or too slow. `final` in the details says that trying again
            gives the same.
    """
    limits = limits or Limits()
    deadline = Deadline(limits.seconds)
    target = read(url)
    for _ in range(limits.redirects + 1):
        answer = _ask(target, limits, reach, deadline, resolve)
        if answer.status not in _REDIRECTS:
            return _page(answer, target)
        target = follow(target, _location(answer))
    raise FetchFailed(f"The page could not be fetched: it redirects more than {limits.redirects} times.", final=True)


def _ask(target: Target, limits: Limits, reach: Reach, deadline: Deadline, resolve: Resolve) -> Answer:
    places = addresses(target, reach, deadline, resolve)
    with connected(target, places, deadline) as connection:
        return exchange(target, connection, limits, deadline)


def _location(answer: Answer) -> str:
    location = answer.headers.get("location", "").strip()
    if not location:
        raise FetchFailed(f"The page could not be fetched: it answers {answer.status} and leads nowhere.", final=True)
    return location


def _page(answer: Answer, target: Target) -> Fetched:
    status = answer.status
    if not 200 <= status < 300:
        message = f"The page could not be fetched: {target.host} answers {status}."
        raise FetchFailed(message, status=status, final=True if status not in _PASSING else None)
    if not answer.body:
        raise FetchFailed("The page is empty: there is nothing to read in it.", final=True)
    media_type, charset = _content_type(answer.headers.get("content-type", ""))
    return Fetched(body=answer.body, media_type=media_type, charset=charset, final_url=target.url)


def _content_type(header: str) -> tuple[str, str | None]:
    parsed = Message()
    parsed["content-type"] = header.replace("\r", " ").replace("\n", " ")
    charset = parsed.get_content_charset()
    media_type = header.partition(";")[0].strip().lower()
    return media_type, charset if charset and _CHARSET.fullmatch(charset) else None

"""Fetches what an issuer publishes about itself: small JSON over TLS, without redirects, in a few seconds."""

from __future__ import annotations

import json
import threading
import time
from typing import Any
from urllib.parse import urlsplit

import requests

from memory.addresses import is_loopback
from memory.errors import InvalidInput

# For connecting, and for each read; all of it together is bounded by the second number.
READ_SECONDS = 3.0
ALL_SECONDS = 5.0
# A hundred RSA keys with their certificates are less.
MOST_BYTES = 512 * 1024
DISCOVERY = "/.well-known/openid-configuration"


class IssuerHttp:
    """Finds the keys of an issuer."""

    def __init__(self, issuer: str, jwks_url: str = "") -> None:
        """Prepare; nothing is sent yet.

        Args:
            issuer: as its tokens name it.
            jwks_url: where its keys are; empty: where its discovery document says.

        Raises:
            InvalidInput: an address is not https, nor http on this machine.
        """
        self._issuer = issuer
        self._jwks_url = jwks_url
        self._asking: threading.Thread | None = None
        for name, url in (("MEMLANE_OIDC_ISSUER", issuer), ("MEMLANE_OIDC_JWKS_URL", jwks_url)):
            if url and not is_safe(url):
                raise InvalidInput(f"{name} must begin with https:// (http:// on this machine only).", field=name)

    def keys(self) -> Any:
        """Return the issuer's JWKS as JSON.

        Raises:
            OSError: the issuer does not answer in time, or with an error.
            ValueError: what it answers is not what it has to.
        """
        # In a thread of its own: who sends its headers byte by byte keeps every single read within its bound.
        if self._asking is not None and self._asking.is_alive():
            raise OSError("the issuer has not answered the last time it was asked")
        answer: list[Any] = []
        self._asking = threading.Thread(target=self._ask, args=(answer,), name="issuer", daemon=True)
        self._asking.start()
        self._asking.join(ALL_SECONDS)
        if not answer:
            raise OSError("the issuer did not answer in time")
        if isinstance(answer[0], Exception):
            raise answer[0]
        return answer[0]

    def _ask(self, answer: list[Any]) -> None:
        try:
            answer.append(_fetch(self._jwks_url or self._discovered()))
        except (OSError, ValueError) as error:
            answer.append(error)

    def _discovered(self) -> str:
        found = _fetch(self._issuer.rstrip("/") + DISCOVERY)
        if not isinstance(found, dict) or found.get("issuer") != self._issuer:
            raise ValueError("the discovery document is another issuer's")
        url = found.get("jwks_uri")
        if not isinstance(url, str) or not is_safe(url):
            raise ValueError("the discovery document names no safe place for the keys")
        return url


def is_safe(url: str) -> bool:
    """Tell whether an address can be trusted to be whose it says: https, or http on this machine."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    return bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host)))


def _no_credentials(request: requests.PreparedRequest) -> requests.PreparedRequest:
    """Send none: else those of a netrc file would go to the issuer."""
    return request


def _fetch(url: str) -> Any:
    until = time.monotonic() + ALL_SECONDS
    with requests.get(
        url, timeout=READ_SECONDS, stream=True, allow_redirects=False, auth=_no_credentials,
        headers={"Accept": "application/json", "User-Agent": "memlane"},
    ) as answer:  # fmt: skip
        if answer.status_code != requests.codes.ok:
            raise OSError(f"the issuer answered {answer.status_code}")
        body = b""
        # `iter_content` would wait for a whole part, however slowly it comes.
        while part := answer.raw.read1(8192, decode_content=True):
            body += part
            if len(body) > MOST_BYTES or time.monotonic() > until:
                raise OSError("the issuer answered too much or too slowly")
    return json.loads(body)

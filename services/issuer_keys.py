"""The public keys of an issuer: fetched, kept, and fetched again in bounds.

Anybody can send a token that names a key nobody knows. So an unknown key leads to a fetch only so often, one thread
fetches while the others go on with what is known, and an issuer that is down is asked only so often too. Keys that are
known outlive an issuer that cannot be reached.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jwt import PyJWK
from jwt.exceptions import PyJWTError

from memory.errors import IssuerDown
from memory.ports import Clock
from memory.records import Micros

log = logging.getLogger("memlane.services")

SECOND: Micros = 1_000_000
# An issuer that takes back a key is believed after this.
FRESH: Micros = 3600 * SECOND
# An issuer that rotates keys while it cannot be reached is rarer than one that is down for a night.
KEPT: Micros = 24 * 3600 * SECOND
# Between two fetches, whatever asks for them.
PAUSE: Micros = 30 * SECOND
PAUSE_AFTER_FAILURE: Micros = 10 * SECOND
# How long a thread waits for another's fetch when there is no key at all.
PATIENCE_SECONDS = 1.0
# Far more than an issuer rotates through.
MOST_KEYS = 100
# Below this a modulus is factored by who wants to. Source: NIST SP 800-131A.
LEAST_RSA_BITS = 2048

# By the algorithm of a signature: the kind of key and its curve. Only asymmetric ones: with HS256 the issuer's public
# key, which everybody has, would be the secret.
ALGORITHMS: Mapping[str, tuple[str, str | None]] = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), ("RSA", None)),
    "ES256": ("EC", "P-256"),
    "ES384": ("EC", "P-384"),
    "ES512": ("EC", "P-521"),
    "EdDSA": ("OKP", "Ed25519"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuerKey:
    """One public key of an issuer."""

    kid: str | None
    alg: str | None  # the only algorithm it is for; None: any that fits its kind
    kind: tuple[str, str | None]
    key: Any  # of the package cryptography

    def fits(self, alg: str) -> bool:
        """Tell whether a signature by this algorithm may be checked with it."""
        return self.alg in (None, alg) and ALGORITHMS.get(alg) == self.kind


def read_keys(document: Any) -> tuple[IssuerKey, ...]:
    """Return the keys of a JWKS that can check a signature; all others are left out.

    Args:
        document: the JSON value.

    Raises:
        ValueError: it is no JWKS.
    """
    listed = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(listed, list):
        raise ValueError("it has no list of keys")
    found = (_read(one) for one in listed[:MOST_KEYS] if isinstance(one, dict))
    return tuple(one for one in found if one is not None)


def _read(jwk: Mapping[str, Any]) -> IssuerKey | None:
    kind = next((one for one in ALGORITHMS.values() if one == (jwk.get("kty"), jwk.get("crv"))), None)
    alg, kid = jwk.get("alg"), jwk.get("kid")
    # "d" is the private part: a key that everybody can read signs for everybody.
    if kind is None or "d" in jwk or jwk.get("use", "sig") != "sig":
        return None
    if not isinstance(alg, str | None) or not isinstance(kid, str | None):
        return None
    try:
        # The algorithm is decided here and not by what the issuer or a token says.
        named = next(name for name, of in ALGORITHMS.items() if of == kind)
        key = PyJWK.from_dict(dict(jwk), algorithm=named).key
    except (PyJWTError, ValueError, TypeError) as error:
        log.warning("a key of the issuer cannot be read and is left out: %s", type(error).__name__)
        return None
    if kind[0] == "RSA" and key.key_size < LEAST_RSA_BITS:
        return None
    return IssuerKey(kid=kid, alg=alg, kind=kind, key=key)


class IssuerKeys:
    """The keys of one issuer, for the threads of one process."""

    def __init__(self, fetch: Callable[[], Any], clock: Clock, *, patience_seconds: float = PATIENCE_SECONDS) -> None:
        """Begin with none; nothing is fetched yet.

        Args:
            fetch: returns the JWKS as JSON; raises OSError or ValueError.
            clock: tells the time.
            patience_seconds: how long a thread waits for another's first fetch.
        """
        self._fetch = fetch
        self._clock = clock
        self._patience = patience_seconds
        self._lock = threading.Lock()
        self._keys: Sequence[IssuerKey] = ()
        self._fetched_at: Micros | None = None
        self._next_at: Micros = 0

    def find(self, kid: str | None, alg: str) -> IssuerKey | None:
        """Return the key that a token names.

        Args:
            kid: of the token's header; None: it names none, which is allowed where only one key fits.
            alg: of the token's header.

        Returns:
            The key; None when the issuer has none that fits.

        Raises:
            IssuerDown: no keys are known, and the issuer cannot be reached.
        """
        now = self._clock()
        found = self._known(kid, alg)
        if found is None or not self._younger(FRESH, now):
            self._renew(now)
            found = self._known(kid, alg)
        if not self._younger(KEPT, now):
            raise IssuerDown
        return found

    def _known(self, kid: str | None, alg: str) -> IssuerKey | None:
        fitting = [one for one in self._keys if one.fits(alg) and kid in (None, one.kid)]
        return fitting[0] if len(fitting) == 1 else None

    def _younger(self, age: Micros, now: Micros) -> bool:
        return self._fetched_at is not None and now - self._fetched_at < age

    def _renew(self, now: Micros) -> None:
        # Who has keys does not wait for another's fetch: a token that names no known key must not hold up a thread.
        waits = self._patience if self._fetched_at is None else 0.0
        if now < self._next_at or not self._lock.acquire(timeout=waits):
            return
        try:
            if now >= self._next_at:
                self._fetch_now(now)
        finally:
            self._lock.release()

    def _fetch_now(self, now: Micros) -> None:
        try:
            self._keys = read_keys(self._fetch())
        except (OSError, ValueError) as error:
            self._next_at = now + PAUSE_AFTER_FAILURE
            log.warning("the keys of the issuer could not be fetched: %s", type(error).__name__)
            return
        self._fetched_at = now
        self._next_at = now + PAUSE

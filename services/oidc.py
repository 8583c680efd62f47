"""Who an ID token says somebody is. This is the trust boundary to the issuer: what does not hold here holds nowhere."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping
from typing import Any

import jwt
from jwt.exceptions import InvalidAudienceError, InvalidIssuerError, InvalidTokenError

from memory.email import ascii_lower, is_email
from memory.errors import InvalidInput, Unauthenticated
from memory.ports import Clock
from memory.settings import Settings
from services.identity import Identity, is_subject
from services.issuer_http import IssuerHttp
from services.issuer_keys import ALGORITHMS, IssuerKeys

log = logging.getLogger("memlane.services")

# Clocks of two machines that ask the same time servers differ by less.
LEEWAY_SECONDS = 30
# An ID token has a few claims; what is longer costs more to look at than it can be worth.
MOST_CHARACTERS = 16_384
# Of other kinds of tokens, such as "at+jwt": an access token is for another audience's eyes.
TYPES = (None, "JWT", "jwt")
REQUIRED = ("iss", "sub", "aud", "exp", "iat")


class Refused(Exception):
    """A token does not hold; the message is for the log, and says nothing of what is in the token."""


class Issuer:
    """The one issuer whose ID tokens are believed."""

    def __init__(self, name: str, audience: str, keys: IssuerKeys, clock: Clock, *, admins: frozenset[str]) -> None:
        """Believe an issuer.

        Args:
            name: of the issuer, exactly as its tokens have it.
            audience: whom its tokens are for: the client id of this server.
            keys: of the issuer.
            clock: tells the time.
            admins: subjects, and e-mail addresses in lower case, of those who administer.
        """
        self.name = name
        self._audience = audience
        self._keys = keys
        self._clock = clock
        self._admins = admins

    def identify(self, token: str) -> Identity:
        """Return whom a token is about.

        Args:
            token: three parts of base64url with dots between them, as sent.

        Raises:
            Unauthenticated: it does not hold; why is told to the log alone.
            IssuerDown: no key of the issuer is known and it cannot be asked.
        """
        try:
            claims = self._verified(token)
            self._check_times(claims)
            _check_party(claims, self._audience)
            return Identity(issuer=self.name, subject=_subject(claims), email=_email(claims))
        except Refused as refused:
            log.info("an ID token was refused: %s", refused)
            raise Unauthenticated("This token is not valid here.") from refused

    def is_admin(self, who: Identity) -> bool:
        """Tell whether a person administers."""
        # What is written as an address is never compared with a subject, which may be any text.
        name = None if is_email(who.subject) else who.subject
        return who.issuer == self.name and bool({name, who.email} & self._admins)

    def _verified(self, token: str) -> Mapping[str, Any]:
        if len(token) > MOST_CHARACTERS or not token.isascii():
            raise Refused("it is too long")
        header = _header(token)
        alg, kid = header.get("alg"), header.get("kid")
        if not isinstance(alg, str) or alg not in ALGORITHMS:
            raise Refused("its algorithm is not one that is taken")
        if header.get("typ") not in TYPES or "crit" in header or not isinstance(kid, str | None):
            raise Refused("its header is not that of an ID token")
        key = self._keys.find(kid, alg)
        if key is None:
            raise Refused("it names no key of the issuer")
        try:
            return jwt.decode(
                token, key.key, algorithms=[alg], audience=self._audience, issuer=self.name,
                # Times are compared below with the clock that everything else goes by.
                options={"require": list(REQUIRED), "verify_exp": False, "verify_nbf": False, "verify_iat": False},
            )  # fmt: skip
        except (InvalidIssuerError, InvalidAudienceError) as error:
            raise Refused("it is of another issuer or for another audience") from error
        except (InvalidTokenError, ValueError, TypeError) as error:
            raise Refused("its signature or form is wrong") from error

    def _check_times(self, claims: Mapping[str, Any]) -> None:
        now = self._clock() / 1e6
        if now >= _seconds(claims, "exp") + LEEWAY_SECONDS:
            raise Refused("it has expired")
        if max(_seconds(claims, "iat"), _seconds(claims, "nbf", otherwise=0)) > now + LEEWAY_SECONDS:
            raise Refused("it is not valid yet")


def configured(settings: Settings, clock: Clock, *, fetch: Callable[[], Any] | None = None) -> Issuer | None:
    """Return the issuer that the settings name; None when they name none.

    Args:
        settings: `oidc_issuer`, `oidc_audience`, `oidc_jwks_url` and `oidc_admins`.
        clock: tells the time.
        fetch: returns the issuer's JWKS; None: over HTTP.

    Raises:
        InvalidInput: an issuer without an audience, or an address that is not safe.
    """
    if not settings.oidc_issuer:
        return None
    if not settings.oidc_audience:
        raise InvalidInput(
            "MEMLANE_OIDC_AUDIENCE must name the client id of this server: a token for another program is not for us.",
            field="MEMLANE_OIDC_AUDIENCE",
        )
    keys = IssuerKeys(fetch or IssuerHttp(settings.oidc_issuer, settings.oidc_jwks_url).keys, clock)
    named = (one.strip() for one in settings.oidc_admins.split(","))
    admins = frozenset(ascii_lower(one) if is_email(one) else one for one in named if one)
    return Issuer(settings.oidc_issuer, settings.oidc_audience, keys, clock, admins=admins)


def _header(token: str) -> Mapping[str, Any]:
    try:
        return jwt.get_unverified_header(token)
    except (InvalidTokenError, ValueError, TypeError, RecursionError) as error:
        raise Refused("its header cannot be read") from error


def _check_party(claims: Mapping[str, Any], audience: str) -> None:
    """Refuse a token that was made for several parties, or by the request of another."""
    several = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
    if claims.get("azp", None if several else audience) != audience:
        raise Refused("it was made for another party")


def _seconds(claims: Mapping[str, Any], name: str, otherwise: float | None = None) -> float:
    value = claims.get(name, otherwise)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise Refused(f"its {name} is no time")
    return value


def _subject(claims: Mapping[str, Any]) -> str:
    subject = claims["sub"]
    if not isinstance(subject, str) or not is_subject(subject):
        raise Refused("its subject is no name")
    return subject


def _email(claims: Mapping[str, Any]) -> str | None:
    """Return the address that the issuer has verified; who can write any address into a profile is not believed."""
    email = claims.get("email")
    if claims.get("email_verified") is not True or not isinstance(email, str) or not is_email(email):
        return None
    return ascii_lower(email)

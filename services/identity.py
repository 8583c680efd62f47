"""A person, as an issuer vouches for them."""

from __future__ import annotations

from dataclasses import dataclass

# Source: OpenID Connect Core 1.0, section 2.
MOST_SUBJECT = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """A person, as an issuer vouches for them."""

    issuer: str
    subject: str  # never given to another person by this issuer
    email: str | None  # ASCII, lower case; None: there is none, or the issuer has not verified it


def is_subject(text: str) -> bool:
    """Tell whether a text can be an issuer's name of a person."""
    return 0 < len(text) <= MOST_SUBJECT and text.isprintable()

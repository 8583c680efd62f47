"""E-mail addresses as names of people: which text is one, and when two are the same."""

from __future__ import annotations

import re

# Of RFC 5321: 64 before the sign, 254 in all.
MOST_CHARACTERS = 254
# ASCII only: other scripts have letters that look like, or are folded to, those of somebody else's address.
_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+")


def is_email(text: str) -> bool:
    """Tell whether a text is an e-mail address that people can be named by."""
    return len(text) <= MOST_CHARACTERS and _ADDRESS.fullmatch(text) is not None


def ascii_lower(text: str) -> str:
    """Return an address with A to Z in lower case; two that are equal then are the same.

    `str.lower` would also make a Kelvin sign a k, and so the address of one person that of another.
    """
    return "".join(chr(ord(letter) + 32) if "A" <= letter <= "Z" else letter for letter in text)

"""What a URL names: scheme, host and port, each in one plain form that nothing later reads in another way.

Two readers of one URL that disagree are how guards are passed. So what could be read twice is refused (user names,
backslashes, control characters, percent signs in hosts), a number in any of the spellings that systems know becomes the
address it means, and what goes on is the taken-apart form, never the text.
"""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from urllib.parse import SplitResult, quote, urljoin, urlsplit

import idna

from memory.errors import UrlRefused
from memory.networks import Address

_DEFAULT_PORTS = {"http": 80, "https": 443}
# Where pages of the public web are. Elsewhere lie mail, databases and caches that read any line they are sent.
PUBLIC_PORTS = frozenset({80, 443, 8000, 8080, 8443})
# Caches and databases: a request is not their language, but some lines of it may be.
_OF_DATABASES = frozenset({3306, 5432, 6379, 11211, 27017})
# What no browser opens. Source: the Fetch standard, "port blocking".
_OF_BROWSERS = frozenset({
    1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
    111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
    540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
    6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
})  # fmt: skip
BLOCKED_PORTS = _OF_BROWSERS | _OF_DATABASES
# What browsers and servers take; a longer one is data.
URL_CHARACTERS = 2_000
# Where a host name ends and something else may begin that two readers see differently.
_AMBIGUOUS = re.compile(r"[\x00-\x20\x7f-\xa0\\\u2028\u2029]")
_NETLOC = re.compile(r"(?:\[[^\[\]]+\]|[^\[\]:]+)(?::[0-9]*)?")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)")
# What RFC 3986 lets stand in a path or query, and the percent sign of what is escaped already.
_SAFE = "/?:@!$&'()*+,;=%-._~[]|"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where a URL leads."""

    scheme: str  # http or https
    host: str  # ASCII, lower case, no trailing dot; an IPv6 address without brackets
    address: Address | None  # when the host is one; None for a name
    port: int
    path: str  # with the query; begins with a slash

    @property
    def authority(self) -> str:
        """Host and port as the `Host` header has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The URL, without a fragment."""
        return f"{self.scheme}://{self.authority}{self.path}"


def is_only_url(text: str) -> bool:
    """Tell whether a text is an http or https URL and nothing else.

    Args:
        text: of a document; white space around it does not count.
    """
    bare = text.strip()
    return len(bare) <= URL_CHARACTERS and re.fullmatch(r"https?://[^\s]+", bare, re.IGNORECASE) is not None


def read(url: str) -> Target:
    """Take a URL apart.

    Args:
        url: as a stranger wrote it.

    Returns:
        Its parts in their plain form.

    Raises:
        UrlRefused: it is none, not one of http or https, or could be read in two ways.
    """
    url = url.strip(" \t\r\n")
    if len(url) > URL_CHARACTERS:
        raise _refused(f"it is longer than {URL_CHARACTERS} characters")
    if _AMBIGUOUS.search(url):
        raise _refused("it holds a space, a backslash or a control character")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise _refused(f"it cannot be read ({error})") from error
    if parts.scheme not in _DEFAULT_PORTS:
        raise _refused("only http and https are fetched")
    if "@" in parts.netloc:
        raise _refused("it holds a user name, and none is ever sent")
    if not _NETLOC.fullmatch(parts.netloc):
        raise _refused("its host cannot be read")
    host, address = _host(parts)
    port = _DEFAULT_PORTS[parts.scheme] if port is None else port
    return Target(scheme=parts.scheme, host=host, address=address, port=port, path=_path(parts))


def follow(target: Target, location: str) -> Target:
    """Return where a redirect leads.

    Args:
        target: what answered with it.
        location: the header, relative or absolute.

    Raises:
        UrlRefused: it leads to what is not fetched, or from https to http.
    """
    # Servers do write spaces and letters beyond ASCII here; escaped they are what browsers make of them.
    there = read(urljoin(target.url, quote(location.strip(), safe=_SAFE + "#")))
    if target.scheme == "https" and there.scheme == "http":
        raise _refused("a page of https leads to one of http, which anybody on the way could change")
    return there


def _host(parts: SplitResult) -> tuple[str, Address | None]:
    written = parts.netloc.rpartition("]")[0].lstrip("[") if parts.netloc.startswith("[") else ""
    if written:
        return _ipv6(written)
    host = _ascii((parts.hostname or "").lower()).removesuffix(".")
    labels = host.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        address = _ipv4(host)
        return str(address), address
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise _refused("its host is no name and no address")
    return host, None


def _ascii(host: str) -> str:
    if host.isascii():
        return host
    try:
        # The mapping makes full-width digits and dots what a resolver takes them for.
        return idna.encode(host, uts46=True).decode("ascii").lower()
    except (idna.IDNAError, UnicodeError) as error:
        raise _refused("its host is no name in any script") from error


def _ipv4(host: str) -> IPv4Address:
    """Read an IPv4 address as the C library does: decimal, octal or hexadecimal, in one to four parts."""
    try:
        if not all(_NUMBER.fullmatch(part) for part in host.split(".")):
            raise OSError
        return IPv4Address(socket.inet_aton(host))
    except OSError as error:
        raise _refused("its host is no address") from error


def _ipv6(text: str) -> tuple[str, IPv6Address]:
    try:
        if "%" in text:
            raise ValueError
        address = IPv6Address(text)
    except ValueError as error:
        raise _refused("its host is no address that a page can lie at") from error
    return str(address), address


def _path(parts: SplitResult) -> str:
    query = f"?{parts.query}" if parts.query else ""
    return quote((parts.path or "/") + query, safe=_SAFE)


def _refused(why: str) -> UrlRefused:
    return UrlRefused(f"This URL is not allowed: {why}.")

"""Bodies as they were before they were compressed, unpacked no further than the limit: a bomb is never whole here."""

from __future__ import annotations

import zlib

from memory.errors import FetchFailed

# What is asked for, and so what may come. One layer: a second one has no use but to hide a bomb.
ACCEPTED = "gzip, deflate"
# A compressed body may be larger than what it holds, but not by much; more is padding that never ends.
_PACKED_FACTOR = 2
_GZIP = zlib.MAX_WBITS | 16


class Body:
    """The body of an answer as it comes in."""

    def __init__(self, encoding: str, most: int) -> None:
        """Begin with nothing.

        Args:
            encoding: the answer's `Content-Encoding`; empty when it has none.
            most: bytes that it may have, unpacked.

        Raises:
            FetchFailed: that encoding was not asked for.
        """
        self._name = encoding.strip().lower()
        self._most = most
        self._came = 0
        self._parts = bytearray()
        self._unpacking: zlib._Decompress | None = None
        if self._name in ("gzip", "x-gzip"):
            self._unpacking = zlib.decompressobj(_GZIP)
        elif self._name not in ("", "identity", "deflate"):
            raise FetchFailed(f"The page could not be fetched: it is packed as {self._name[:40]!r}.", final=True)

    def add(self, data: bytes) -> None:
        """Take what came.

        Args:
            data: some bytes, as they were sent.

        Raises:
            FetchFailed: it is too large, or not packed as was said.
        """
        self._came += len(data)
        if self._came > self._most * _PACKED_FACTOR:
            raise too_large(self._most)
        if self._name == "deflate" and self._unpacking is None and data:
            # Half of the servers that say deflate send it with zlib's header, as the standard says; half without.
            self._unpacking = zlib.decompressobj(zlib.MAX_WBITS if data[0] & 0x0F == 8 else -zlib.MAX_WBITS)
        self._parts += data if self._unpacking is None else self._unpacked(data)
        if len(self._parts) > self._most:
            raise too_large(self._most)

    def whole(self) -> bytes:
        """Return the body.

        Raises:
            FetchFailed: it ended in the middle.
        """
        if self._unpacking is not None and self._came and not self._unpacking.eof:
            raise FetchFailed("The page could not be fetched: what came of it is not whole.")
        return bytes(self._parts)

    def _unpacked(self, data: bytes) -> bytes:
        """Unpack at most one byte more than there is room for; that byte tells a body that is too large."""
        assert self._unpacking is not None
        room = self._most - len(self._parts) + 1
        try:
            return self._unpacking.decompress(data, room)
        except zlib.error as error:
            raise FetchFailed(
                f"The page could not be fetched: it is not packed as {self._name}.", final=True
            ) from error


def too_large(most: int) -> FetchFailed:
    """Return the error of a page over the limit."""
    return FetchFailed(f"The page is too large: it has more than {most / 1024 / 1024:g} MB.", final=True)

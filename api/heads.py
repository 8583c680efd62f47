"""What is made of the head of a request, and where its body ends: what could be read in two ways is refused."""

from __future__ import annotations

from copy import copy
from typing import Any

from waitress.parser import HTTPRequestParser, ParsingError
from waitress.receiver import ChunkedReceiver
from waitress.utilities import BadRequest, Error, RequestEntityTooLarge

# Where a body may be as large as a whole store.
IMPORT = "/v1/import"
# The size of a chunk and what may stand behind it.
MOST_CONTROL_LINE = 1024


class Encoded(Error):  # type: ignore[misc]
    """A body has a Content-Encoding, which is not undone here."""

    code = 415
    reason = "Unsupported Media Type"
    sentence = "A body with a Content-Encoding is not taken; send it as it is."


class BoundedChunks(ChunkedReceiver):  # type: ignore[misc]
    """Refuses a chunk over the limit when its size is read, not when its bytes have come."""

    error: Any

    def __init__(self, buf: Any, most: int) -> None:
        """Begin a body.

        Args:
            buf: takes its bytes.
            most: bytes that it may have.
        """
        super().__init__(buf)
        self._most = most

    def received(self, s: bytes) -> int:
        """Take what was sent.

        Args:
            s: just read.

        Returns:
            How much of it was taken.
        """
        taken = int(super().received(s))
        if self.error is None and len(self.control_line) > MOST_CONTROL_LINE:
            self.error = BadRequest("Chunk size too long")
        elif self.error is None and len(self) + self.chunk_remainder >= self._most:
            self.error = RequestEntityTooLarge("Chunk too large")
        return taken


class RoutedParser(HTTPRequestParser):  # type: ignore[misc]
    """Takes a larger body where one is expected, and nowhere else: it lies on the disk until it is read."""

    adj: Any
    body_rcv: Any
    expect_continue: bool

    def parse_header(self, header_plus: bytes) -> None:
        """Read the head of a request, and of an import with the limit of imports.

        Args:
            header_plus: the head.

        Raises:
            ParsingError: it says in two ways how long its body is, or waitress cannot read it.
        """
        super().parse_header(header_plus)
        if self.chunked and "CONTENT_LENGTH" in self.headers:
            # A proxy in front may go by the other of the two, and take the rest of this for a request of its own.
            raise ParsingError("Transfer-Encoding and Content-Length")
        encoding = self.headers.get("CONTENT_ENCODING", "identity").strip().lower()
        if self.body_rcv is not None and encoding not in ("", "identity"):
            # Read first, or who is still sending would see a broken pipe; who waits to send is told at once.
            self.error, self.completed = Encoded(""), self.expect_continue
        if self.body_rcv is None:
            # Who has no body to send would be told to go on and waited for.
            self.expect_continue = False
        if self.path == IMPORT:
            self.adj = copy(self.adj)
            self.adj.max_request_body_size = self.adj.import_bytes
        if self.chunked:
            self.body_rcv = BoundedChunks(self.body_rcv.getbuf(), self.adj.max_request_body_size)

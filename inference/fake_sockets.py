"""An HTTP server whose open connections can be cut, as a server does with idle ones and a dying one with all."""

from __future__ import annotations

import logging
import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

log = logging.getLogger(__name__)


class CuttableServer(ThreadingHTTPServer):
    """Serves each connection on a thread of its own and knows which are open."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        """Listen.

        Args:
            address: host and port; port 0 for a free one.
            handler: of requests.
        """
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        # With it, a free port could be one that is kept for another server: see `ops.parts.free_ports`.
        self.allow_reuse_address = address[1] != 0
        super().__init__(address, handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Note a connection and serve it."""
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Forget a connection that ends."""
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def cut_connections(self) -> None:
        """Close every open connection."""
        with self._lock:
            for connection in self._open:
                cut(connection)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log what went wrong here, and not what the other side did."""
        # A caller that gave up, or a connection we cut, is what this server is for.
        if not isinstance(sys.exc_info()[1], OSError):
            log.exception("the fake model server failed")


def cut(connection: socket.socket) -> None:
    """Close a connection, whatever is under way on it."""
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError as error:
        log.debug("already closed: %s", error)

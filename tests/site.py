"""A web server on this machine's second loopback address, whose pages a test writes."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ADDRESS = "127.0.0.2"


class Site:
    """A server whose pages the test writes."""

    def __init__(self) -> None:
        self.pages: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self.asked: list[str] = []
        site = self

        class Answering(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.asked.append(self.path)
                status, headers, body = site.pages.get(self.path, (404, {}, b""))
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer((ADDRESS, 0), Answering)
        self.url = f"http://{ADDRESS}:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def write(self, path: str, text: str, *, media_type: str = "text/html") -> None:
        """Serve a page."""
        self.pages[path] = (200, {"Content-Type": media_type}, text.encode())

    def close(self) -> None:
        """End it."""
        self._server.shutdown()
        self._server.server_close()

"""An internet of the test's own: every address there is leads here, and each connection is noted.

Run in network and mount namespaces of its own (`Internet.start`), where a route makes all of IPv4 and IPv6 local. So a
guard meets its real addresses on real sockets, and one listener is the canary of every address that must not be
contacted. Lines of JSON on standard input say what is served, how names resolve, and what is fetched.
"""

from __future__ import annotations

import json
import os
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PLAIN_PORTS = (22, 25, 80, 3000, 6379, 8000, 8080, 11211)
TLS_PORTS = (443, 8443)
# Whoever comes to these is the test itself: what came to a listener before it has been noted when it is.
MARKERS = {socket.AF_INET: "127.99.99.99", socket.AF_INET6: "fd99::99"}
TRUSTED_NAMES = ("page.test", "other.test", "xn--bcher-kva.test")


class Internet:
    """The test's side: sends commands and reads answers."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            ["unshare", "--map-root-user", "--net", "--mount", sys.executable, "-m", "tests.internet"],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._read() == "ready"

    def __call__(self, do: str, **told: Any) -> Any:
        """Carry out one command of `Served` and return its answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": do, **told}) + "\n")
        self._process.stdin.flush()
        answer = self._read()
        assert "crashed" not in answer, answer["crashed"]
        return answer["is"]

    def close(self) -> None:
        """End it and all that runs in it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=60)
        self._process.stdout.close()

    def _read(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the internet ended; can this machine make namespaces (unshare -rnm)?"
        return json.loads(line)


class Served:
    """The inside: pages, names and contacts, and the commands by the names of its methods."""

    def __init__(self, folder: Path) -> None:
        self.pages: dict[str, dict[str, Any]] = {}  # by path
        self.names: dict[str, list[list[str]]] = {}  # answers in turn, the last one again and again
        self.met: list[dict[str, Any]] = []  # connections, in the order they came
        self._lock = threading.Lock()
        self._ends = ExitStack()
        self._stack: Any = None
        self._folder = folder

    def serve(self, *, pages: dict[str, dict[str, Any]]) -> None:
        """Serve these pages and no others; forget who came."""
        self.pages = pages
        self.contacts()

    def resolve(self, *, names: dict[str, list[list[str]]]) -> None:
        """Let names have these addresses, for the resolver of the system too."""
        self.names = names

    def contacts(self) -> list[dict[str, Any]]:
        """Return who came since the last time, also who has only just come."""
        marks = [(family, port) for family in MARKERS for port in (*PLAIN_PORTS, *TLS_PORTS)]
        for family, port in marks:
            socket.create_connection((MARKERS[family], port), timeout=10).close()
        until = time.monotonic() + 10
        while sum(one["address"] in MARKERS.values() for one in self.met) < len(marks):
            assert time.monotonic() < until, "a listener has stopped"
            time.sleep(0.001)
        with self._lock:
            met, self.met = self.met, []
        return [one for one in met if one["address"] not in MARKERS.values()]

    def fetch(self, *, url: str, allowed: str = "", **limits: Any) -> dict[str, Any]:
        """Fetch a page and return it or the error, how long it took and who was contacted for it."""
        from memory.errors import MemlaneError
        from memory.networks import Reach, read
        from services.fetching.fetch import fetch
        from services.fetching.records import Limits

        began = time.monotonic()
        try:
            fetched = fetch(url, limits=Limits(**limits), reach=Reach(allowed=read(allowed)), resolve=self.addresses)
            found = {**asdict(fetched), "body": fetched.body.decode("latin-1")}
        except MemlaneError as error:
            found = {"error": error.code, "message": error.message}
        return {**found, "seconds": time.monotonic() - began, "contacts": self.contacts()}

    def addresses(self, host: str) -> list[str]:
        """Stand in for the resolver: a name's answers in turn."""
        with self._lock:
            answers = self.names.get(host, [[]])
            found = answers.pop(0) if len(answers) > 1 else answers[0]
        if not found:
            raise socket.gaierror(socket.EAI_NONAME, f"no address of {host}")
        return found

    def up(self, **settings: str) -> str:
        """Start a whole stack in here."""
        from ops.launched import running

        self._stack = self._ends.enter_context(running(self._folder / f"data{len(settings)}", settings))
        return str(self._stack.url)

    def down(self) -> None:
        """End the stack."""
        self._ends.close()

    def post(self, *, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """POST to the stack, as a caller of this machine."""
        answer = self._stack.http.post(self._stack.url + path, json=body, timeout=60)
        return {**answer.json(), "http": answer.status_code, "took": answer.elapsed.total_seconds()}

    def get(self, *, path: str, query: dict[str, Any]) -> Any:
        """GET from the stack."""
        return self._stack.get(path, **query)

    def job(self, *, id: str, seconds: float = 60) -> Any:
        """Wait for a job's end."""
        return self._stack.job(id, seconds=seconds)

    def most_memory(self, *, words: str) -> int:
        """Return the most bytes that a process of the stack has ever had resident."""
        (process,) = self._stack.children(words)
        status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
        return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))) * 1024

    def note(self, connection: socket.socket, port: int) -> dict[str, Any]:
        """Note that somebody came."""
        met: dict[str, Any] = {"address": connection.getsockname()[0], "port": port}
        with self._lock:
            self.met.append(met)
        return met

    def answer(self, connection: socket.socket, met: dict[str, Any], tls: ssl.SSLContext | None) -> None:
        """Answer a request, and note what it says."""
        with suppress(OSError), connection:
            connection.settimeout(30)
            if tls is not None:
                names: list[str | None] = []
                tls.sni_callback = lambda one, name, context: names.append(name)
                connection = tls.wrap_socket(connection, server_side=True)
                met["sni"] = names[-1] if names else None
            head = _head(connection)
            met.update(path=head[0].split(" ")[1], headers=dict(line.split(": ", 1) for line in head[1:]))
            met["headers"] = {name.lower(): value for name, value in met["headers"].items()}
            _send(connection, self.pages.get(met["path"].partition("?")[0], {"status": "404 Not Found"}))
            connection.close()


def _head(connection: socket.socket) -> list[str]:
    came = b""
    while b"\r\n\r\n" not in came:
        more = connection.recv(65536)
        if not more:
            raise ConnectionResetError
        came += more
    return came.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")


def _send(connection: socket.socket, page: dict[str, Any]) -> None:
    """Send a page: `raw` bytes as they are, else a status line, headers and a body."""
    if "raw" in page:
        connection.sendall(page["raw"].encode("latin-1"))
    else:
        body = page.get("body", "").encode("latin-1") * page.get("times", 1)
        if "file" in page:
            body = Path(page["file"]).read_bytes()
        headers = page.get("headers", {"Content-Type": "text/html"})
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        connection.sendall(f"HTTP/1.1 {page.get('status', '200 OK')}\r\n{lines}\r\n".encode("latin-1") + body)
    while "drip" in page or "endless" in page:
        connection.sendall(b"x" * page.get("endless", 1))
        time.sleep(page.get("drip", 0))


def _listen(served: Served, port: int, family: socket.AddressFamily, tls: ssl.SSLContext | None) -> None:
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family is socket.AF_INET6:
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    listener.bind(("", port))
    listener.listen(256)

    def take() -> None:
        while True:
            connection, _ = listener.accept()
            met = served.note(connection, port)
            threading.Thread(target=served.answer, args=(connection, met, tls), daemon=True).start()

    threading.Thread(target=take, daemon=True).start()


def _name_server(served: Served) -> None:
    """Answer the system's resolver over UDP: one question a message, A and AAAA."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listener.bind(("127.0.0.53", 53))
    current: dict[str, list[str]] = {}

    def serve() -> None:
        while True:
            asked, whom = listener.recvfrom(512)
            labels, at = [], 12
            while asked[at]:
                labels.append(asked[at + 1 : at + 1 + asked[at]].decode("ascii"))
                at += asked[at] + 1
            host, kind, question = ".".join(labels), asked[at + 2], asked[12 : at + 5]
            if kind == 1:  # A is asked first; AAAA gets the other half of the same answer
                with suppress(socket.gaierror):
                    current[host] = served.addresses(host)
            family = {1: socket.AF_INET, 28: socket.AF_INET6}.get(kind)
            found = [one for one in current.get(host, []) if (":" in one) == (kind == 28)] if family else []
            records = b"".join(
                b"\xc0\x0c\x00" + bytes([kind]) + b"\x00\x01\x00\x00\x00\x00" + len(packed).to_bytes(2, "big") + packed
                for packed in (socket.inet_pton(family, one) for one in found if family)
            )
            counts = b"\x00\x01" + len(found).to_bytes(2, "big") + b"\x00\x00\x00\x00"
            code = b"\x81\x80" if host in current else b"\x81\x83"
            listener.sendto(asked[:2] + code + counts + question + records, whom)

    threading.Thread(target=serve, daemon=True).start()


def _certificate(folder: Path) -> Path:
    """Make a certificate that this process and its children trust, for the trusted names and one address."""
    names = ",".join([*(f"DNS:{name}" for name in TRUSTED_NAMES), "IP:93.184.216.34"])
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=page.test",
         "-addext", f"subjectAltName={names}", "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
        check=True, capture_output=True,
    )  # fmt: skip
    os.environ["SSL_CERT_FILE"] = str(folder / "cert.pem")
    both = folder / "both.pem"
    both.write_bytes((folder / "key.pem").read_bytes() + (folder / "cert.pem").read_bytes())
    return both


def _own_the_world(folder: Path) -> None:
    (folder / "resolv.conf").write_text("nameserver 127.0.0.53\noptions single-request\n", encoding="ascii")
    for command in (
        "ip link set lo up",
        "ip route add local 0.0.0.0/0 dev lo",
        "ip -6 route add local ::/0 dev lo",
        f"mount --bind {folder}/resolv.conf /etc/resolv.conf",
    ):
        subprocess.run(command.split(), check=True, stdout=sys.stderr)


def _run(folder: Path) -> None:
    _own_the_world(folder)
    served = Served(folder)
    certificate = _certificate(folder)
    for family in (socket.AF_INET, socket.AF_INET6):
        for port in PLAIN_PORTS:
            _listen(served, port, family, None)
        for port in TLS_PORTS:
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(certificate)
            _listen(served, port, family, tls)
    _name_server(served)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    answers.write('"ready"\n')
    try:
        for line in sys.stdin:
            told = json.loads(line)
            try:
                answer = {"is": getattr(served, told.pop("do"))(**told)}
            except Exception as error:
                answer = {"crashed": repr(error)}
            answers.write(json.dumps(answer) + "\n")
    finally:
        served.down()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        _run(Path(name))

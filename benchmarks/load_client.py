"""A load client that costs little: raw HTTP over kept connections, each request at its appointed time.

A request is timed from when it was to be sent, not from when the client came to send it: a server that falls behind is
not spared the requests that wait for it.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

ANSWER_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request, ready to be sent."""

    kind: str
    raw: bytes


@dataclass(slots=True, kw_only=True)
class Taken:
    """What became of the requests of a run."""

    milliseconds: dict[str, list[float]] = field(default_factory=dict)  # by kind, of those that were answered 2xx
    late: list[float] = field(default_factory=list)  # how much later than appointed the client sent them
    refused: dict[str, int] = field(default_factory=dict)  # by status or failure
    bodies: list[tuple[int, dict[str, str], Any]] = field(default_factory=list)  # when they are kept


def asked(kind: str, url: str, method: str, path: str, body: Any = None, *, key: str | None = None) -> Asked:
    """Make a request.

    Args:
        kind: what it is counted under.
        url: of the server.
        method: GET or POST.
        path: with the query string.
        body: JSON, or (bytes, content type); None for none.
        key: API key.
    """
    raw, media = body if isinstance(body, tuple) else (json.dumps(body).encode(), "application/json")
    lines = [f"{method} {path} HTTP/1.1", f"Host: {urlsplit(url).netloc}"]
    lines += [f"Authorization: Bearer {key}"] if key else []
    lines += [f"Content-Type: {media}", f"Content-Length: {len(raw)}"] if body is not None else []
    head = "\r\n".join(lines).encode() + b"\r\n\r\n"
    return Asked(kind=kind, raw=head + (raw if body is not None else b""))


def run(url: str, plan: Callable[[int], Asked], *, clients: int, rate: float, seconds: float) -> Taken:
    """Send requests at a steady rate from several connections.

    Args:
        url: of the server.
        plan: the request of a number, 0, 1, 2 ...
        clients: connections; each has one request under way at a time.
        rate: requests a second, of all together.
        seconds: how long.
    """
    taken = Taken()
    total = round(rate * seconds)

    async def everybody() -> None:
        began = time.perf_counter() + 0.2

        async def client(first: int) -> None:
            line = _Line(url)
            for number in range(first, total, clients):
                await line.at(began + number / rate, plan(number), taken)
            await line.close()

        await asyncio.gather(*(client(first) for first in range(clients)))

    asyncio.run(everybody())
    return taken


def burst(url: str, requests: Sequence[Asked]) -> Taken:
    """Send requests all at once, each on a connection of its own; their answers are kept in order."""
    taken = Taken()

    async def everybody() -> None:
        lines = [_Line(url) for _ in requests]
        await asyncio.gather(*(line.open() for line in lines))
        began = time.perf_counter()
        answers = await asyncio.gather(*(line.at(began, one, taken) for line, one in zip(lines, requests, strict=True)))
        taken.bodies.extend(answers)
        await asyncio.gather(*(line.close() for line in lines))

    asyncio.run(everybody())
    return taken


class _Line:
    """One connection, opened anew when the server has closed it."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._address = (parts.hostname or "127.0.0.1", parts.port or 80)
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def open(self) -> None:
        self._reader, self._writer = await asyncio.open_connection(*self._address, limit=2**24)

    async def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None

    async def at(self, when: float, one: Asked, taken: Taken) -> tuple[int, dict[str, str], Any]:
        await asyncio.sleep(max(0.0, when - time.perf_counter()))
        taken.late.append((time.perf_counter() - when) * 1000)
        try:
            status, fields, body = await asyncio.wait_for(self._exchange(one), ANSWER_SECONDS)
        except (OSError, EOFError, TimeoutError) as error:
            await self.close()
            taken.refused[type(error).__name__] = taken.refused.get(type(error).__name__, 0) + 1
            return 0, {}, None
        if status < 300:
            taken.milliseconds.setdefault(one.kind, []).append((time.perf_counter() - when) * 1000)
        else:
            taken.refused[str(status)] = taken.refused.get(str(status), 0) + 1
        return status, fields, body

    async def _exchange(self, one: Asked) -> tuple[int, dict[str, str], Any]:
        if self._writer is None or self._reader is None:
            await self.open()
        assert self._writer is not None
        assert self._reader is not None
        self._writer.write(one.raw)
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        fields = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
        body = await self._reader.readexactly(int(fields.get("content-length", 0)))
        if fields.get("connection", "").lower() == "close":
            await self.close()
        return int(head[0].split()[1]), fields, body

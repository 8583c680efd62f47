"""A broker of a test's own, so that it can be away for exactly as long as is wanted."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError

from ops.broker import broker_command
from ops.keeper_link import KeeperLink
from ops.launched import wait_until


class Broker:
    """Valkey on a unix socket, with its file kept from one start to the next."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "broker"
        self._folder.mkdir()
        self.socket = self._folder / "b.sock"
        self.url = f"unix://{self.socket}"
        self._process: subprocess.Popen[bytes] | None = None
        self._keeper: KeeperLink | None = None

    def start(self) -> None:
        """Start it and wait until it answers."""
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                broker_command(self.socket, self._folder), stdout=log, stderr=log, start_new_session=True
            )
        # A process of tests may be killed by the one that started it, and then ends nothing itself.
        self._keeper = KeeperLink()
        self._keeper.add(self._process.pid)
        wait_until(self._answers, seconds=20, what="the broker answers")

    def kill(self) -> None:
        """End it without a word."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            if self._keeper is not None:
                self._keeper.remove(self._process.pid)
                self._keeper.close()
            self._process = self._keeper = None

    def freeze(self, *, number: int = signal.SIGSTOP) -> None:
        """Let it answer nobody, with every connection open, as behind a cut line; SIGCONT goes on."""
        if self._process is not None:
            self._process.send_signal(number)

    def client(self) -> Redis:
        """Return a client that does not wait long."""
        return Redis(unix_socket_path=str(self.socket), socket_timeout=5, socket_connect_timeout=2)

    def _answers(self) -> bool:
        try:
            with self.client() as client:
                return bool(client.ping())
        except RedisError:
            return False

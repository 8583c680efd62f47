"""Network namespaces as nodes: each with an address of its own and a link that can be cut. Needs root."""

from __future__ import annotations

import os
import secrets
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from ops.parts import free_ports

# A private range that is rarely used; one /24 for all nodes, the host's end is .1.
NETWORK = "10.213.77"


def available() -> str:
    """Return why namespaces cannot be used here; empty when they can."""
    if os.geteuid() != 0:
        return "network namespaces need root; nodes are processes on loopback instead"
    try:
        _ip("netns", "list")
    except (OSError, subprocess.CalledProcessError) as error:
        return f"network namespaces cannot be used here ({error}); nodes are processes on loopback instead"
    return ""


class Network:
    """A bridge with a namespace for each node behind it, and the broker on the host's end."""

    def __init__(self, names: Sequence[str], folder: Path) -> None:
        """Choose names and addresses.

        Args:
            names: of the nodes, at most 200.
            folder: for the broker's files.
        """
        self._tag = secrets.token_hex(2)
        self._folder = folder
        self._numbers = {name: number for number, name in enumerate(names, 10)}
        self._password = secrets.token_hex(12)
        (self._port,) = free_ports(1)
        self.broker_url = f"redis://:{self._password}@{NETWORK}.1:{self._port}/0"

    def address(self, name: str) -> str:
        """Return a node's address."""
        return f"{NETWORK}.{self._numbers[name]}"

    def prefix(self, name: str) -> tuple[str, ...]:
        """Return what a command is started with to be on a node."""
        return ("ip", "netns", "exec", self._space(name))

    def broker(self, command: Callable[[Path, Path], Sequence[str]]) -> tuple[str, ...]:
        """Return the command of a broker with a password that every node reaches."""
        found = list(command(self._folder / "broker.sock", self._folder))
        found[found.index("--port") + 1] = str(self._port)
        return (*found, "--bind", f"{NETWORK}.1", "--requirepass", self._password)

    def open(self) -> None:
        """Make bridge, namespaces and links."""
        bridge = self._bridge
        _ip("link", "add", bridge, "type", "bridge")
        _ip("address", "add", f"{NETWORK}.1/24", "dev", bridge)
        _ip("link", "set", bridge, "up")
        for name in self._numbers:
            outer, inner = self._link(name), f"{self._link(name)}i"
            _ip("netns", "add", self._space(name))
            _ip("link", "add", outer, "type", "veth", "peer", "name", inner)
            _ip("link", "set", inner, "netns", self._space(name))
            _ip("link", "set", outer, "master", bridge, "up")
            for words in (f"address add {self.address(name)}/24 dev {inner}", f"link set {inner} up", "link set lo up"):
                _ip("-n", self._space(name), *words.split())

    def cut(self, name: str) -> None:
        """Take a node's link down; what is open hangs."""
        _ip("link", "set", self._link(name), "down")

    def mend(self, name: str) -> None:
        """Take a node's link up again."""
        _ip("link", "set", self._link(name), "up")

    def close(self) -> None:
        """Take all of it away, also what was made only in part."""
        for name in self._numbers:
            _ip("netns", "delete", self._space(name), check=False)
            _ip("link", "delete", self._link(name), check=False)
        _ip("link", "delete", self._bridge, check=False)

    @property
    def _bridge(self) -> str:
        return f"mlb{self._tag}"

    def _space(self, name: str) -> str:
        return f"memlane-{self._tag}-{name}"

    def _link(self, name: str) -> str:
        # An interface's name may have 15 characters.
        return f"ml{self._tag}n{self._numbers[name]}"


def _ip(*words: str, check: bool = True) -> None:
    subprocess.run(["ip", *words], check=check, capture_output=True)

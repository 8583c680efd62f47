"""`memlane up`: the whole stack on this machine, supervised."""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from memory.addresses import reachable
from memory.errors import BrokerDown
from memory.settings import Settings
from ops import flower_access
from ops.keeper_link import KeeperLink
from ops.log_lines import LogLines
from ops.part import CannotStart, ConfigurationWrong
from ops.parts import choose_run, stack
from ops.readiness import Watch
from ops.supervisor import LOOK_SECONDS, SELF, ConfigurationRefused, Supervisor
from ops.wanted import Wanted
from services import host_seat
from workers.address import choose_socket_file

# Something that is not well after this long, such as a model server of the user's that is down, will not become so by
# waiting; the stack can be used and its answers say what is missing.
DEGRADED_SECONDS = 15.0
# What the embedded model server serves, which the settings name when nobody changes them.
_EMBEDDED = (Settings().embed_model, Settings().embed_dimension)
# When to say for the first time what is being waited for.
SLOW_SECONDS = 10.0


def up(
    settings: Settings,
    wanted: Wanted | None = None,
    *,
    out: TextIO,
    err: TextIO,
    environ: Mapping[str, str] = os.environ,
) -> int:
    """Run the stack until SIGTERM, SIGINT or SIGHUP.

    Args:
        settings: of this run.
        wanted: nodes, their workers, Flower; None for one machine without Flower.
        out: gets one line, `ready http://<address>`, when everything takes work.
        err: gets the log.
        environ: handed on to every part.

    Returns:
        The exit code: 0 after a signal.

    Raises:
        CannotStart: the folder is in use, the port is taken, or another host works with this broker.
        ConfigurationWrong: a part refuses its configuration.
    """
    folder = Path(settings.data_dir).absolute()
    with _folder_lock(folder):
        check_port(settings.host, settings.port)
        check_embedded_model(settings, wanted)
        check_seat(settings)
        if wanted is not None and wanted.flower:
            settings = _with_flower(settings, folder)
        (folder / "broker").mkdir(exist_ok=True, mode=0o700)
        run = choose_run(settings, choose_socket_file(folder))
        parts = stack(settings, run, wanted, environ)
        logs = LogLines(err, (SELF, *(part.name for part in parts)), environ)
        keeper = KeeperLink()
        supervisor = Supervisor(parts, logs=logs, keeper=keeper)
        teller = _Teller(f"http://{reachable(settings.host)}:{settings.port}", out, logs)
        watch = Watch(supervisor.slots, teller)
        return _supervise(supervisor, keeper, watch, logs)


def check_port(host: str, port: int, *, option: str = "--port") -> None:
    """See that an address can be listened on.

    Args:
        host: address.
        port: its port.
        option: of the command line that chooses another.

    Raises:
        CannotStart: it is taken, or is not this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen(1)
        except OSError as error:
            message = f"Cannot listen on {host}:{port}: {error.strerror}. Choose another with {option}, or free it."
            raise CannotStart(message, host=host, port=port) from error


def check_embedded_model(settings: Settings, wanted: Wanted | None = None) -> None:
    """See that the configured model is the embedded one, where that is what embeds.

    Raises:
        CannotStart: its vectors would be kept under another model's name.
    """
    if settings.embed_url or (wanted is not None and wanted.nodes):
        return
    own, told = _EMBEDDED, (settings.embed_model, settings.embed_dimension)
    if told != own:
        raise CannotStart(
            f"wrong_model: MEMLANE_EMBED_MODEL and MEMLANE_EMBED_DIMENSION say {told[0]} ({told[1]} numbers), the "
            f"embedded model server is {own[0]} ({own[1]} numbers). Name a server of that model in MEMLANE_EMBED_URL.",
        )


def check_seat(settings: Settings) -> None:
    """See that no other host works with the broker.

    Args:
        settings: of this run; the embedded broker serves nobody else.

    Raises:
        CannotStart: another one does.
    """
    if not settings.redis_url:
        return
    # Loaded here so that the supervisor of the embedded broker does not carry it.
    from workers.fleet_facts import RedisFleet
    from workers.transport import connect

    try:
        client = connect(settings)
        holder = RedisFleet(client).published(host_seat.HOST_KEY)
        client.close()
    except (BrokerDown, ValueError):
        # It is waited for like every other part; the host worker looks again when it is there.
        return
    if problem := host_seat.taken_by(settings, holder):
        raise CannotStart(problem)


def _with_flower(settings: Settings, folder: Path) -> Settings:
    if not flower_access.installed():
        raise CannotStart("--flower needs the package flower: install memlane-server[flower].")
    check_port(settings.flower_host, settings.flower_port, option="--flower-port")
    return replace(settings, flower_password=settings.flower_password or flower_access.password(folder))


@contextmanager
def _folder_lock(folder: Path) -> Iterator[None]:
    try:
        # One by one: the mode is that of the last folder of a call only.
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        (folder / "run").mkdir(exist_ok=True, mode=0o700)
        # Kept open, not inherited: the lock lives exactly as long as this process.
        lock = (folder / "run" / "up.lock").open("a+")
    except OSError as error:
        raise CannotStart(f"The data folder {folder} cannot be used: {error.strerror}.") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            lock.seek(0)
            message = (
                f"Another memlane up (process {lock.read().strip()}) uses the data folder {folder}. Stop it first."
            )
            raise CannotStart(message, folder=str(folder)) from error
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        yield


class _Signals:
    """Counts the signals that ask this process to end."""

    def __init__(self) -> None:
        self.count = 0
        self.wake = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._received)

    def _received(self, number: int, frame: object) -> None:
        self.count += 1
        self.wake.set()


class _Teller:
    """Says once that the stack is ready, and before that what is being waited for."""

    def __init__(self, address: str, out: TextIO, logs: LogLines) -> None:
        self._address = address
        self._out = out
        self._logs = logs
        self._began = time.monotonic()
        self._slow_at = SLOW_SECONDS

    def __call__(self, waiting: dict[str, str]) -> bool:
        seconds = time.monotonic() - self._began
        usable = set(waiting.values()) <= {"degraded"}
        if not waiting or (usable and seconds > DEGRADED_SECONDS):
            self._ready(waiting, seconds)
            return True
        if seconds > self._slow_at:
            self._slow_at *= 3
            self._logs.write(SELF, f"still waiting for {', '.join(waiting)}")
        return False

    def _ready(self, waiting: dict[str, str], seconds: float) -> None:
        note = f", {', '.join(waiting)} degraded (see /v1/health)" if waiting else ""
        self._logs.write(SELF, f"ready after {seconds:.1f} s{note}; Ctrl-C stops everything")
        self._out.write(f"ready {self._address}\n")
        self._out.flush()


def _supervise(supervisor: Supervisor, keeper: KeeperLink, watch: Watch, logs: LogLines) -> int:
    signals = _Signals()
    try:
        while not signals.count:
            supervisor.look()
            signals.wake.wait(LOOK_SECONDS)
        logs.write(SELF, "stopping")
        return 0
    except ConfigurationRefused as error:
        raise ConfigurationWrong(str(error)) from error
    finally:
        watch.stop()
        asked = signals.count
        supervisor.stop(hurry=lambda: signals.count > asked)
        keeper.close()

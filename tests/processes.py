"""Real processes for tests: the embedded broker, and whatever else is started, looked at and ended by its id."""

import signal
import subprocess
from pathlib import Path

from ops.broker import broker_command, broker_process
from tests.waiting import WAIT_SECONDS, until


class Broker:
    """The embedded broker on a socket of its own, with a folder beside it."""

    def __init__(self, folder: Path, socket: Path):
        self.socket = socket
        self.folder = folder / "broker"
        self.socket.parent.mkdir(exist_ok=True)
        self.folder.mkdir()
        self.process = None

    def start(self):
        self.process = subprocess.Popen(broker_command(self.socket, self.folder), stdout=subprocess.DEVNULL)
        until(lambda: broker_process(self.socket))

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


class Started:
    """A process that writes its lines to a file."""

    def __init__(self, log, command, **how):
        self.log = log
        with log.open("wb") as lines:
            self.process = subprocess.Popen(command, stdout=lines, stderr=lines, **how)

    def said(self, words):
        return words in self.log.read_text()

    def stop(self, seconds=WAIT_SECONDS):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(seconds)

    def kill(self):
        self.process.kill()
        self.process.wait()

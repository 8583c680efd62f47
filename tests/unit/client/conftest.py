import json

import pytest

from memlane import cli, transport
from memlane.fakes import FakeServer


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch):
    monkeypatch.setattr(transport, "BACKOFF_SECONDS", 0.001)


@pytest.fixture
def server(monkeypatch, tmp_path):
    with FakeServer() as fake:
        monkeypatch.setenv("MEMLANE_URL", fake.url)
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
        monkeypatch.delenv("MEMLANE_API_KEY", raising=False)
        yield fake


class Ran:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def json(self):
        """Standard output as the one JSON document it has to be."""
        return json.loads(self.out)


@pytest.fixture
def memlane(capsys):
    def run(*arguments):
        capsys.readouterr()
        code = cli.run([str(one) for one in arguments])
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return run

"""The broker of docker-compose.yml with its real configuration, on the server that the embedded broker is."""

import subprocess
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import AuthenticationError, BusyLoadingError
from redis.exceptions import ConnectionError as RedisConnectionError

from memory.settings import Settings
from ops.broker import broker_program
from ops.doctor_fleet import examine_fleet
from ops.heard import main
from ops.launched import wait_until
from ops.parts import free_ports

ROOT = Path(__file__).parents[3]
PASSWORD = "0123456789abcdef"


@pytest.fixture
def port(tmp_path):
    (port,) = free_ports(1)
    written = (ROOT / "ops" / "compose" / "redis.conf").read_text(encoding="utf-8")
    file = tmp_path / "redis.conf"
    here = written.replace("dir /data", f"dir {tmp_path}")
    file.write_text(f"{here}requirepass {PASSWORD}\nport {port}\nbind 127.0.0.1\n", encoding="utf-8")
    with subprocess.Popen([str(broker_program()), str(file)], stdout=subprocess.DEVNULL) as server:
        wait_until(lambda: _answers(port), seconds=10, what="the broker answers")
        yield port
        server.terminate()


def _answers(port):
    try:
        return Redis(port=port, password=PASSWORD).ping()
    except (RedisConnectionError, BusyLoadingError):
        return False


def test_it_asks_for_the_password(port):
    with pytest.raises(AuthenticationError):
        Redis(port=port).ping()


def test_doctor_finds_nothing_amiss(port, tmp_path):
    told = Settings(redis_url=f"redis://:{PASSWORD}@127.0.0.1:{port}/0", data_dir=str(tmp_path))

    found = {one.area: one.state for one in examine_fleet(told)}

    assert found["broker"] == "ok"
    assert found["workers"] == "warning"


def test_the_health_check_hears_who_is_there_and_nobody_else(port, tmp_path):
    secret = tmp_path / "password"
    secret.write_text(f"{PASSWORD}\n", encoding="utf-8")
    environ = {"REDIS_URL": f"redis://127.0.0.1:{port}/0", "REDIS_PASSWORD_FILE": str(secret)}
    Redis(port=port, password=PASSWORD).set("heartbeat:host@local", "{}", px=10_000)

    assert main([], environ) == 0
    assert main(["heartbeat:host@local"], environ) == 0
    assert main(["heartbeat:reconcile@local"], environ) == 1

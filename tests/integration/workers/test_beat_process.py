import base64
import json
import os
import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.timeout(60)


@pytest.fixture
def beat(broker, folder):
    environ = {**os.environ, "MEMLANE_DATA_DIR": str(folder), "MEMLANE_SWEEP_SECONDS": "0.1"}
    log = folder / "beat.log"
    with log.open("wb") as out:
        process = subprocess.Popen([sys.executable, "-m", "workers", "beat"], env=environ, stdout=out, stderr=out)
    yield process, log
    process.kill()
    process.wait()


def slots(client):
    messages = [json.loads(raw) for raw in client.lrange("host", 0, -1)]
    return [json.loads(base64.b64decode(message["body"]))[1]["slot"] for message in messages]


def test_each_tick_has_another_slot_and_ticks_go_on_after_an_outage(beat, broker, client, until):
    process, log = beat
    until(lambda: client.llen("host") >= 3)
    numbers = slots(client)
    assert sorted(set(numbers), reverse=True) == numbers

    broker.kill()
    until(lambda: "ticks cannot be sent" in log.read_text())
    broker.start()
    client.flushall()

    until(lambda: client.llen("host") >= 3)
    assert log.read_text().count("ticks cannot be sent") == 1

    process.send_signal(signal.SIGTERM)
    assert process.wait(3) == 0

"""A worker process with our consumer, heartbeat and transport, and a task that only writes down that it ran."""

import os
import sys
import time
from pathlib import Path

from memory.settings import from_environ
from workers.app import make_app, task
from workers.in_flight import InFlight
from workers.lanes import Lane, Process
from workers.logs import start_logs
from workers.run import work
from workers.transport import RedisReplies, connect, make_queue

QUEUE, POOL = sys.argv[1:3]
settings = from_environ(os.environ)
folder = Path(settings.data_dir)
start_logs("info")
client = connect(settings)
app = make_app(settings)
in_flight = InFlight(client, worker=f"{QUEUE}@local", keep_seconds=60)
process = Process(
    settings=settings,
    app=app,
    client=client,
    queue=make_queue(settings),
    replies=RedisReplies(client),
    in_flight=in_flight,
)


@task(app, "note")
def note(*, number: int, seconds: float = 0.0, tenant: str = "t", item: int = 1, attempt: int = 1) -> None:
    with in_flight.holding(tenant, item, attempt):
        time.sleep(seconds)
        with (folder / "ran").open("a") as ran:
            ran.write(f"{number}\n")


def wanted() -> bool:
    return not (folder / "off").exists()


sys.stderr.write("started\n")
sys.stderr.flush()
sys.exit(work(QUEUE, process, Lane(slots=1, pool=POOL, wanted=wanted)))

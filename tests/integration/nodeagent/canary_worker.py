"""A worker with the canary as its only task; with `deaf` it beats, but takes none, and does not mind SIGTERM."""

import os
import signal
import sys
import threading
import time

from redis import Redis

from memory.settings import from_environ
from workers.app import make_app
from workers.canary import register
from workers.logs import start_logs

worker, kind = sys.argv[1:3]
settings = from_environ(os.environ)
start_logs("info")
client = Redis.from_url(settings.redis_url)
app = make_app(settings)
queue = register(app, client, worker)


def beat():
    while True:
        client.set(f"heartbeat:{worker}", '{"pid": 1, "slots": 2, "in_flight": []}', px=10_000)
        time.sleep(0.5)


threading.Thread(target=beat, daemon=True).start()
if kind == "deaf":
    signal.signal(signal.SIGTERM, lambda *_: sys.stderr.write("told to end\n"))
    while True:
        time.sleep(0.1)
app.Worker(
    hostname=worker, pool_cls="threads", concurrency=2, queues=["interactive", queue], quiet=True,
    without_gossip=True, without_mingle=True, without_heartbeat=True,
).start()  # fmt: skip

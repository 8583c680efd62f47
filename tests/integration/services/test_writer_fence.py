"""Real processes with a short lease, each stopped past it in turn: 2,000 commits, every one applied once."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from services.clock import system_clock
from services.fakes import fake_host

COMMITS = 2000
LEASE_SECONDS = 0.3
STOPS = 6
ROOT = Path(__file__).parents[3]

HOLDER = f"""
import sys, time
from pathlib import Path
from memory.errors import Busy, Fenced
from memory.settings import Settings
from services.clock import system_clock
from services.fakes import fake_host
from services.writer import WriterLease

host = fake_host(Path(sys.argv[1]), clock=system_clock, settings=Settings(writer_lease_seconds={LEASE_SECONDS}))
lease = WriterLease(host, sys.argv[2])
renew_at = refused = 0
while True:
    try:
        if time.monotonic() >= renew_at:
            lease.renew()
            renew_at = time.monotonic() + {LEASE_SECONDS} / 3
        token = lease.token
        if token is None:
            time.sleep(0.01)
            continue
        with host.store.read("default") as db:
            number = db.execute("SELECT count(*) FROM change").fetchone()[0]
        if number >= {COMMITS}:
            break
        with host.store.fenced("default", token) as tx:
            tx.execute("INSERT INTO change (space_id, row_id, op, at) VALUES (?, ?, 'add', 1)", (token, number))
    except Fenced:
        refused += 1
        renew_at = 0
    except Busy:
        renew_at = 0
lease.release()
print(refused)
"""


def holder_pids(host, processes):
    """Return the process that has the lease now, if any."""
    with host.store.control_read() as db:
        row = db.execute("SELECT holder FROM lease").fetchone()
    return [process for name, process in processes.items() if row is not None and row["holder"] == name]


def comes(check, seconds=30.0):
    """Tell whether it comes true in time."""
    until = time.monotonic() + seconds
    while not (true := check()) and time.monotonic() < until:
        time.sleep(0.005)
    return bool(true)


def stop_holder(host, processes):
    """Stop the process that has the lease until another one has it, and return it.

    One that is stopped while it writes its lease holds the lock of the file, which nobody can take from it: it goes on
    and is stopped again.
    """
    for _ in range(10):
        assert comes(lambda: holder_pids(host, processes)), "nobody takes the lease"
        (stopped,) = holder_pids(host, processes)
        stopped.send_signal(signal.SIGSTOP)
        if comes(lambda stopped=stopped: stopped not in holder_pids(host, processes), seconds=20 * LEASE_SECONDS):
            return stopped
        stopped.send_signal(signal.SIGCONT)
    raise AssertionError("A stopped process keeps the lease.")


def count(host):
    with host.store.read("default") as db:
        return db.execute("SELECT count(*) FROM change").fetchone()[0]


def test_processes_stopped_past_their_lease_write_nothing_twice(tmp_path):
    host = fake_host(tmp_path, clock=system_clock)
    processes = {
        name: subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(tmp_path), name],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("a", "b", "c")
    }
    try:
        for number in range(STOPS):
            goal = (number + 1) * COMMITS // (STOPS + 2)
            assert comes(lambda goal=goal: count(host) >= goal), "the writers write too little"
            stop_holder(host, processes).send_signal(signal.SIGCONT)
        outputs = [process.communicate(timeout=60) for process in processes.values()]
    finally:
        for process in processes.values():
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait()

    assert [process.returncode for process in processes.values()] == [0, 0, 0], outputs
    with host.store.read("default") as db:
        rows = [tuple(row) for row in db.execute("SELECT row_id, space_id FROM change ORDER BY seq").fetchall()]
    assert [number for number, _ in rows] == list(range(COMMITS))
    tokens = [token for _, token in rows]
    assert tokens == sorted(tokens)
    assert len(set(tokens)) > STOPS
    host.store.close()

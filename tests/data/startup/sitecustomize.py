"""Read by Python at the start of a worker that a test spoils: its clock, its broker's patience or its luck."""

import os
import time

if offset := float(os.environ.get("SPOILT_CLOCK_SECONDS", "0")):
    right, right_ns = time.time, time.time_ns
    time.time = lambda: right() + offset
    time.time_ns = lambda: right_ns() + round(offset * 1e9)

if seconds := os.environ.get("SPOILT_VISIBILITY_SECONDS"):
    import workers.app

    workers.app.VISIBILITY_SECONDS = float(seconds)

if os.environ.get("SPOILT_POP"):
    from workers.redis_transport import QoS

    # A message has been popped and is about to be noted as unacked: at this moment only the process has it.
    QoS.append = lambda *_, **__: os._exit(9)

"""The work ledger as the rest calls it: send what is ready, accept what comes back, find what was lost."""

from services.dispatching import dispatch, send_accepted, wake_writer, words
from services.settling import JOB_ENDED, JOB_RETRIED, complete, end_job, host_commit, notify
from services.sweeping import Swept, sweep

__all__ = [
    "JOB_ENDED",
    "JOB_RETRIED",
    "Swept",
    "complete",
    "dispatch",
    "end_job",
    "host_commit",
    "notify",
    "send_accepted",
    "sweep",
    "wake_writer",
    "words",
]

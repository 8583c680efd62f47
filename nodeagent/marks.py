"""What a node's agent and its workers both have to know of the canary: its queue, its task and the worker's mark.

Each worker has a queue of its own for it. With one queue for both lanes of a node the worker that is well would take
the canaries of the one that is stalled.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass

from pydantic import TypeAdapter, ValidationError

from memory.errors import InvalidInput
from nodeagent.processes import started_ticks, this_machine

CANARY_TASK = "node.canary"
MARK = "canary:"
# Long enough that the mark of a worker that stalled over night still says which process it was.
MARK_LIFE_SECONDS = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What a worker writes when it has run a canary."""

    number: int  # of the canary; 0 at the worker's start
    pid: int
    machine: str  # see `nodeagent.processes.this_machine`
    started: int  # clock ticks since the machine's start


_FORM: TypeAdapter[Mark] = TypeAdapter(Mark)


def canary_queue(worker: str) -> str:
    """Return the queue that a worker's canaries are sent to.

    Args:
        worker: `<lane>@<node>`.

    Returns:
        `node.<lane>@<node>`; no name of a node holds an @, so this is no node's own queue.
    """
    return f"node.{worker}"


def mark_key(worker: str) -> str:
    """Return the key of a worker's mark.

    Args:
        worker: `<lane>@<node>`.

    Returns:
        `canary:<lane>@<node>`.
    """
    return f"{MARK}{worker}"


def own_mark(number: int) -> Mark:
    """Return the mark of the process that calls this.

    Args:
        number: of the canary.

    Returns:
        A mark by which this very process can be found again.
    """
    return Mark(number=number, pid=os.getpid(), machine=this_machine(), started=started_ticks(os.getpid()) or 0)


def encode_mark(mark: Mark) -> bytes:
    """Write a mark.

    Args:
        mark: any.

    Returns:
        JSON.
    """
    return json.dumps(asdict(mark)).encode()


def decode_mark(text: bytes) -> Mark:
    """Read a mark. A signal is sent to the process it names, so nothing in it is believed unchecked.

    Args:
        text: what `encode_mark` wrote.

    Returns:
        The mark.

    Raises:
        InvalidInput: it is not one.
    """
    try:
        return _FORM.validate_json(text, strict=True, extra="forbid")
    except ValidationError as error:
        raise InvalidInput("The mark of a worker's canary cannot be read.", field="mark") from error


def is_here(mark: Mark) -> bool:
    """Return whether the process of a mark runs on this machine.

    Args:
        mark: of a worker.

    Returns:
        False as well when its id now belongs to another process.
    """
    return bool(mark.machine) and mark.machine == this_machine() and started_ticks(mark.pid) == mark.started

"""One task message as Celery and kombu write it, so that the agent needs neither.

The agent sends a single task without arguments of anybody's. Celery would cost a process that is on every node more
memory than the rest of it; a test with a real worker holds this to what Celery reads.
"""

from __future__ import annotations

import base64
import json
import uuid
from collections.abc import Mapping
from typing import Any


def task_message(task: str, arguments: Mapping[str, Any], *, queue: str, origin: str) -> bytes:
    """Write a message of Celery's protocol 2 in kombu's envelope for Redis.

    Args:
        task: its name.
        arguments: keyword arguments, JSON values.
        queue: which list it is pushed to.
        origin: who sends it.

    Returns:
        What to push to the left end of the list named like the queue.
    """
    identity = str(uuid.uuid4())
    body = json.dumps([[], dict(arguments), {"callbacks": None, "errbacks": None, "chain": None, "chord": None}])
    headers = {"lang": "py", "task": task, "id": identity, "root_id": identity, "parent_id": None, "group": None}
    times = {"retries": 0, "timelimit": [None, None], "eta": None, "expires": None}
    shown = {"origin": origin, "argsrepr": "()", "kwargsrepr": repr(dict(arguments)), "ignore_result": True}
    envelope = {
        "body": base64.b64encode(body.encode()).decode(),
        "content-encoding": "utf-8",
        "content-type": "application/json",
        "headers": {**headers, **times, **shown},
        "properties": {
            "correlation_id": identity,
            "delivery_mode": 2,
            "delivery_info": {"exchange": "", "routing_key": queue},
            "priority": 0,
            "body_encoding": "base64",
            "delivery_tag": str(uuid.uuid4()),
        },
    }
    return json.dumps(envelope).encode()

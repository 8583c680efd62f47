"""What a server tells as it happens: server-sent events, one at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from memlane.errors import NotFound, ServerBusy
from memlane.transport import Transport

Json = dict[str, Any]
TYPE = "text/event-stream"


class Streams:
    """The streams of a server."""

    _transport: Transport

    def watch_job(self, job_id: str, *, space: str | None = None) -> Iterator[Json]:
        """Yield a job as it is and then each time it changes.

        Args:
            job_id: which.
            space: where it is looked for; every space when left out.

        Yields:
            The job. It may still be under way when nothing comes any more: the server has no stream free, was started
            again, or is of a version without streams. Then `job` says how it is.

        Raises:
            MemlaneError: the server refused.
        """
        path = f"/v1/jobs/{quote(job_id, safe='')}/events"
        try:
            for name, data in events(self._transport.lines(path, query={"container_tag": space}, accept=TYPE)):
                if name == "job":
                    yield data
        except ServerBusy:
            return
        except NotFound as error:
            if error.code != "no_route":
                raise


def events(lines: Iterator[str]) -> Iterator[tuple[str, Json]]:
    """Yield the name and the data of each event.

    Args:
        lines: of a stream, without their ends.
    """
    name, data = "", ""
    for line in lines:
        field, _, value = line.partition(": ")
        if not line and data:
            yield name, json.loads(data)
            name, data = "", ""
        elif field == "event":
            name = value
        elif field == "data":
            data += value

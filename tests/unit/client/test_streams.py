"""Events as the client reads them."""

import requests

from memlane.fakes import FakeServer
from memlane.http import Client
from memlane.streams import events


def test_events_are_cut_at_blank_lines_and_comments_are_none():
    lines = ["retry: 2000", "", "id: 1", "event: job", 'data: {"state": "queued"}', "", ": still here", ""]
    lines += ["event: end", 'data: {"state": "done"}', ""]
    assert list(events(iter(lines))) == [("job", {"state": "queued"}), ("end", {"state": "done"})]


def test_half_an_event_is_none():
    assert list(events(iter(["event: job", 'data: {"state": "queued"}']))) == []


def test_server_without_streams_tells_nothing_by_itself():
    with FakeServer() as server, Client(server.url) as client:
        made = requests.post(f"{server.url}/v3/documents", json={"content": "a"}, timeout=10).json()
        assert list(client.watch_job(made["jobId"])) == []

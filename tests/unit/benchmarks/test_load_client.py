"""The load client counts what was refused, times from the appointed moment, and opens what was closed anew."""

import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from benchmarks import load_client
from benchmarks.load_client import asked


@contextmanager
def server(answer):
    """A server whose answers are given by a function of the path: status, seconds, and whether it closes."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            status, seconds, closes = answer(self.path)
            time.sleep(seconds)
            self.send_response(status)
            self.send_header("Content-Length", "2")
            if closes:
                self.send_header("Connection", "close")
                self.close_connection = True
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_):
            return None

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{http.server_port}"
    finally:
        http.shutdown()
        http.server_close()


def test_refusals_are_counted_and_are_no_times():
    with server(lambda path: (503 if "no" in path else 200, 0, "no" in path)) as url:
        plan = [asked("yes", url, "GET", "/yes"), asked("no", url, "GET", "/no")]
        taken = load_client.run(url, lambda number: plan[number % 2], clients=4, rate=100, seconds=0.4)
    assert {name: len(times) for name, times in taken.milliseconds.items()} == {"yes": 20}
    assert taken.refused == {"503": 20}


def test_waiting_behind_a_slow_answer_counts():
    with server(lambda path: (200, 0.5 if path == "/slow" else 0.0, False)) as url:
        plan = [asked("slow", url, "GET", "/slow"), asked("next", url, "GET", "/next")]
        taken = load_client.run(url, lambda number: plan[number], clients=1, rate=10, seconds=0.2)
    # It was to be sent 0.1 s after the slow one, which took 0.5 s on the same connection.
    assert taken.milliseconds["next"][0] == pytest.approx(400, abs=150)


def test_nobody_there_is_counted_too():
    with server(lambda path: (200, 0, False)) as url:
        pass
    taken = load_client.run(url, lambda _: asked("get", url, "GET", "/"), clients=2, rate=50, seconds=0.1)
    assert taken.refused == {"ConnectionRefusedError": 5}


def test_burst_keeps_answers_in_order():
    with server(lambda path: (200 if int(path[1:]) % 2 else 404, 0, False)) as url:
        taken = load_client.burst(url, [asked("get", url, "GET", f"/{number}") for number in range(6)])
    assert [status for status, _, _ in taken.bodies] == [404, 200, 404, 200, 404, 200]

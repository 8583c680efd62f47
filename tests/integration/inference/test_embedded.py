"""What only the embedded server promises: its model, its start and its end."""

from __future__ import annotations

import signal
import time
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

import numpy as np

from inference.minilm import packaged_model
from inference.wire import ModelServer
from memory.errors import ModelError

if TYPE_CHECKING:
    from tests.integration.inference.conftest import Embedded, Start

KEY = "a-key-for-tests"


def test_meaning_counts_not_words(embedded: Embedded) -> None:
    client = ModelServer(embedded.interactive, KEY, dimension=384)
    question, answer, other = client.embed(["Which pets does she keep?", "She has two cats.", "The bridge is closed."])
    assert question @ answer > question @ other + 0.2
    scores = client.rerank("Which pets does she keep?", ["The bridge is closed.", "She has two cats."])
    assert scores[1] > scores[0]
    client.close()


def test_vectors_stay_what_they_are(embedded: Embedded) -> None:
    client = ModelServer(embedded.interactive, KEY, dimension=384)
    a, b = client.embed(["That is a happy person", "That is a very happy person"])
    # Measured with this model file. Another pooling, vocabulary or normalisation moves it.
    assert abs(float(a @ b) - 0.9417) < 0.003
    client.close()


def test_weights_change_what_wins(embedded: Embedded) -> None:
    client = ModelServer(embedded.interactive, KEY)
    passages = ["The lamp is red.", "The car is green."]
    by_lamp = client.rerank("red car", passages, {"red": 5.0, "car": 0.1})
    by_car = client.rerank("red car", passages, {"red": 0.1, "car": 5.0})
    assert by_lamp.argmax() == 0
    assert by_car.argmax() == 1
    client.close()


def test_both_lanes_give_the_same_vector(embedded: Embedded) -> None:
    lanes = [ModelServer(url, KEY) for url in (embedded.interactive, embedded.background)]
    first, second = (lane.embed(["Anna lives in Oslo"]) for lane in lanes)
    assert np.allclose(first, second, atol=1e-5)
    for lane in lanes:
        lane.close()


def test_background_work_does_not_hold_up_a_query(embedded: Embedded) -> None:
    interactive, background = ModelServer(embedded.interactive, KEY), ModelServer(embedded.background, KEY)
    done = Event()

    def fill() -> None:
        background.embed(["word " * 250] * 64)
        done.set()

    filler = Thread(target=fill)
    filler.start()
    answered = 0
    while answered < 3:
        interactive.embed(["a query"])
        answered += 1
    # Three whole queries went by while sixty-four long texts, two seconds of work, were still being embedded.
    assert not done.is_set()
    filler.join(60)
    assert done.is_set()
    interactive.close()
    background.close()


def test_another_model_file_is_refused(starting: Start, tmp_path: Path) -> None:
    changed = bytearray(packaged_model().read_bytes())
    changed[-1] ^= 1
    (tmp_path / "model.onnx").write_bytes(changed)
    server = starting("--model", str(tmp_path / "model.onnx"))
    _, errors = server.process.communicate(timeout=20)
    assert server.process.returncode == 1
    assert "sha256" in errors
    assert "Traceback" not in errors


def test_a_missing_model_file_is_refused(starting: Start, tmp_path: Path) -> None:
    server = starting("--model", str(tmp_path / "none.onnx"))
    _, errors = server.process.communicate(timeout=20)
    assert server.process.returncode == 1
    assert "cannot be read" in errors


def test_an_open_address_needs_a_key(starting: Start) -> None:
    server = starting("--host", "0.0.0.0", key="")
    _, errors = server.process.communicate(timeout=20)
    assert server.process.returncode == 1
    assert "MEMLANE_NODE_KEY" in errors


def test_a_taken_port_is_said(starting: Start, embedded: Embedded) -> None:
    server = starting("--interactive-port", embedded.interactive.rpartition(":")[2])
    _, errors = server.process.communicate(timeout=20)
    assert server.process.returncode == 1
    assert "Cannot listen" in errors
    assert "Traceback" not in errors


def test_sigterm_ends_it_cleanly_within_two_seconds_also_at_work(starting: Start) -> None:
    server = starting()
    server.wait_until_ready()
    started = Event()

    def work() -> None:
        client = ModelServer(server.background, KEY)
        client.embed(["a"])
        started.set()
        with suppress(ModelError):
            client.embed(["word " * 250] * 200, timeout=30)
        client.close()

    worker = Thread(target=work)
    worker.start()
    assert started.wait(20)
    began = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    _, errors = server.process.communicate(timeout=10)
    assert time.monotonic() - began < 2.0
    assert server.process.returncode == 0, errors
    assert "Traceback" not in errors
    worker.join(20)

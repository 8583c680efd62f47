"""What can go wrong with a fake model server's answer; each is something a real server has done."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from memory.vectors import decode_vectors

Bend = Literal[
    "empty",
    "html",
    "nan",
    "zeros",
    "tokens",
    "nested",
    "bare",
    "short",
    "twice",
    "shuffled",
    "range",
    "wide",
    "flat",
    "floats",
    "other",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What goes wrong with one request. Several parts add up: first the delay, then the rest."""

    delay: float = 0.0  # seconds before anything is answered
    status: int | None = None  # an error of llama-server's shape with this status
    message: str = "made to fail"  # of that error
    kind: str | None = None  # `type` of that error
    refuse: bool = False  # the connection is cut without an answer
    drip: float = 0.0  # seconds between the bytes of the body
    bend: Bend | None = None
    content_type: str = "application/json"  # a wrong one is what a proxy or an old server sends


def bent(answer: dict[str, Any], bend: Bend | None) -> bytes:
    """Write an answer, bent as asked.

    Args:
        answer: a right answer of `/v1/embeddings` or `/v1/rerank`.
        bend: how to bend it; None for not at all.

    Returns:
        The bytes to send.
    """
    if bend == "empty":
        return b""
    if bend == "html":
        return b"<html><body>Welcome to the proxy</body></html>"
    return json.dumps(answer if bend is None else _BENDS[bend](answer)).encode()


def _entries(answer: dict[str, Any]) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = answer["data"] if "data" in answer else answer["results"]
    return entries


def _numbers(entry: dict[str, Any]) -> list[float]:
    value = entry["embedding"]
    numbers: list[float] = decode_vectors(value, 1)[:, 0].tolist() if isinstance(value, str) else value
    return numbers


def _each(change: Callable[[list[float]], Any]) -> Callable[[dict[str, Any]], Any]:
    """Change the numbers of every vector, or of every score."""

    def bend(answer: dict[str, Any]) -> Any:
        for entry in _entries(answer):
            if "embedding" in entry:
                entry["embedding"] = change(_numbers(entry))
            else:
                entry["relevance_score"] = change([entry["relevance_score"]])[0]
        return answer

    return bend


def _nested(answer: dict[str, Any]) -> Any:
    return [{"index": entry["index"], "embedding": [_numbers(entry)]} for entry in _entries(answer)]


def _bare(answer: dict[str, Any]) -> Any:
    return {"embedding": _numbers(_entries(answer)[0])}


def _short(answer: dict[str, Any]) -> Any:
    _entries(answer).pop()
    return answer


def _twice(answer: dict[str, Any]) -> Any:
    entries = _entries(answer)
    entries[-1]["index"] = entries[0]["index"] if len(entries) > 1 else 1
    return answer


def _shuffled(answer: dict[str, Any]) -> Any:
    _entries(answer).reverse()
    return answer


def _range(answer: dict[str, Any]) -> Any:
    entries = _entries(answer)
    entries[-1]["index"] = len(entries)
    return answer


_BENDS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "nan": _each(lambda numbers: [float("nan"), *numbers[1:]]),
    "zeros": _each(lambda numbers: [0.0] * len(numbers)),  # as a rerank server answers embeddings
    "tokens": _each(lambda numbers: [numbers, numbers]),  # a vector for each token: pooling is off
    "wide": _each(lambda numbers: [*numbers, 0.5]),  # another dimension
    "floats": _each(lambda numbers: numbers),  # right, as lists of numbers whatever was asked for
    "other": _each(lambda numbers: [*numbers[1:], numbers[0]]),  # right in shape, by another model
    "flat": _each(lambda numbers: [0.5] * len(numbers)),  # every score the same
    "nested": _nested,  # legacy [{index, embedding: [[...]]}] with one row each
    "bare": _bare,  # legacy {embedding: [...]}
    "short": _short,
    "twice": _twice,
    "shuffled": _shuffled,  # right, but in another order
    "range": _range,
}

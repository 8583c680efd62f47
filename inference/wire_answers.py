"""What a model server answered, checked before anybody believes it. Pure.

Each check is a failure that has been met: a rerank server answers embeddings with zeros and 200, a server with pooling
off answers a vector for each token, a broken one answers 200 with an empty body.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from memory.errors import InputTooLong, InvalidInput, ModelError, ModelRefused, ModelUnavailable, WrongModel
from memory.vectors import decode_vectors

Floats = npt.NDArray[np.float32]

# A server's words are shown to a person; a page of HTML is not.
SHOWN_CHARS = 300

_TOO_LONG = re.compile(r"too large to process|is too large|exceeds? the (available )?context|too long", re.IGNORECASE)
_LIMIT = re.compile(r"(?:batch size|context size|n_ctx)\D{0,20}(\d+)", re.IGNORECASE)
_TOKENS = re.compile(r"(\d+) tokens", re.IGNORECASE)


# A person is told the address; who has none is told what it should be.
WHO = "The model server"
_PAGE = re.compile(rb"\s*<(!doctype|html|head|body|p|h1|title)\b", re.IGNORECASE)


def answer_json(raw: bytes, who: str = WHO) -> Any:
    """Parse the body of a 200.

    Args:
        raw: the body.
        who: the server's address, for the message.

    Raises:
        ModelRefused: it is empty or not JSON.
    """
    if not raw.strip():
        raise ModelRefused(f"{who} answered 200 with an empty body.")
    try:
        return json.loads(raw)
    except (ValueError, RecursionError) as error:
        what = "a web page; another server listens there" if _PAGE.match(raw) else "something that is not JSON"
        raise ModelRefused(f"{who} answered 200 with {what}.") from error


def refusal(status: int, raw: bytes, who: str = WHO) -> ModelError:
    """Turn an answer other than 200 into the error it means.

    Args:
        status: HTTP status.
        raw: the body; llama-server's `{"error": {code, message, type}}` or anything.
        who: the server's address, for the message.

    Returns:
        The error to raise, with `status` in its details and for `InputTooLong` `tokens` and `limit` where known.
    """
    error = _error_object(raw)
    words = str(error.get("message") or raw.decode("utf-8", "replace")).strip()[:SHOWN_CHARS]
    if status == 413 or error.get("type") == "exceed_context_size_error" or _is_too_long(status, words):
        tokens = error.get("n_prompt_tokens") or _first_number(_TOKENS, words)
        limit = error.get("n_ctx") or _first_number(_LIMIT, words)
        return InputTooLong(f"The input is over the model's limit: {words}", status=status, tokens=tokens, limit=limit)
    page = not error and _PAGE.match(raw) is not None
    told = f"{who} answered {status} with a web page" if page else f"{who} answered {status}: {' '.join(words.split())}"
    if status in (429, 502, 503, 504):
        return ModelUnavailable(f"{told}; it is not ready.", status=status)
    if status in (404, 405, 501):
        what = "another server listens there" if page else "it does not offer this call, check its start flags"
        return WrongModel(f"{told}; {what}.", status=status)
    if status in (401, 403):
        return ModelRefused(f"{told}; MEMLANE_NODE_KEY must be the key it was started with.", status=status)
    return ModelRefused(told, status=status)


def read_vectors(answer: Any, count: int, dimension: int | None, who: str = WHO) -> Floats:
    """Read the vectors of an embeddings answer in any of its known shapes.

    Args:
        answer: `{data: [{index, embedding}]}`, `[{index, embedding}]` or `{embedding}`; an embedding is base64 text, a
            list of numbers or a list with one such list.
        count: texts that were sent.
        dimension: length that is expected; None for any.
        who: the server's address, for the message.

    Returns:
        float32 (count, dimension), in the order of the texts, each of length 1.

    Raises:
        ModelRefused: vectors missing, doubled, ragged, or not finite.
        WrongModel: vectors per token, of another dimension, or zero.
    """
    entries = _entries(answer, "data")
    rows = [_vector(entry.get("embedding"), dimension, who) for entry in _ordered(entries, count)]
    if len({len(row) for row in rows}) != 1:
        raise ModelRefused("The model server answered vectors of different lengths.")
    vectors = np.stack(rows)
    if not np.isfinite(vectors).all():
        raise ModelRefused("The model server answered a vector that holds no numbers (NaN or infinite).")
    # Scaled first: the squares of large finite numbers overflow.
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    if not largest.all():
        raise WrongModel(f"{who} answers zeros for an embedding; it was started for another task.")
    vectors = vectors / largest
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def read_scores(answer: Any, count: int) -> Floats:
    """Read the scores of a rerank answer.

    Args:
        answer: `{results: [{index, relevance_score}]}`, or the list alone with `score`.
        count: passages that were sent.

    Returns:
        float32 (count,), raw, in the order of the passages.

    Raises:
        ModelRefused: indices missing, doubled or out of range, or a score that is not a finite number.
    """
    ordered = _ordered(_entries(answer, "results"), count)
    scores = _numbers([entry.get("relevance_score", entry.get("score")) for entry in ordered])
    if not np.isfinite(scores).all():
        raise ModelRefused("The model server answered a score that is not a number (NaN or infinite).")
    return scores


def read_models(answer: Any) -> tuple[str, ...]:
    """Read the names of a models answer.

    Raises:
        ModelRefused: it is of another shape.
    """
    return tuple(str(entry.get("id", "")) for entry in _entries(answer, "data"))


def _entries(answer: Any, field: str) -> list[Mapping[str, Any]]:
    if isinstance(answer, Mapping):
        answer = [answer] if "embedding" in answer else answer.get(field)
    if not isinstance(answer, list) or not all(isinstance(entry, Mapping) for entry in answer):
        raise ModelRefused(f'The model server\'s answer has no list "{field}".')
    return answer


def _ordered(entries: Sequence[Mapping[str, Any]], count: int) -> list[Mapping[str, Any]]:
    if len(entries) != count:
        raise ModelRefused(f"The model server answered {len(entries)} results for {count} inputs.")
    indices = [entry.get("index", 0 if count == 1 else None) for entry in entries]
    whole = all(isinstance(index, int) and not isinstance(index, bool) for index in indices)
    if not whole or sorted(indices) != list(range(count)):
        raise ModelRefused("The model server's results are not numbered as the inputs were.")
    return [entry for _, entry in sorted(zip(indices, entries, strict=True), key=lambda pair: pair[0])]


def _vector(value: Any, dimension: int | None, who: str) -> Floats:
    if isinstance(value, list) and value and isinstance(value[0], list):
        if len(value) > 1:
            raise WrongModel(
                f"Pooling is off: {len(value)} vectors for one text; start the server with --pooling mean.",
                pooling="off",
            )
        value = value[0]
    vector = _from_base64(value) if isinstance(value, str) else _numbers(value)
    if dimension is not None and len(vector) != dimension:
        message = f"{who} answers vectors of {len(vector)} numbers, not {dimension}; another model is expected there."
        raise WrongModel(message, found=len(vector), expected=dimension)
    return vector


def _from_base64(text: str) -> Floats:
    try:
        vector: Floats = decode_vectors(text, 1)[:, 0]
    except InvalidInput as error:
        raise ModelRefused(f"The model server answered a vector that cannot be read: {error.message}") from error
    return _filled(vector)


def _numbers(value: Any) -> Floats:
    if not isinstance(value, list) or not all(
        isinstance(number, int | float) and not isinstance(number, bool) for number in value
    ):
        raise ModelRefused("The model server answered something else where numbers belong.")
    try:
        with np.errstate(over="ignore"):
            return _filled(np.array(value, dtype=np.float64).astype(np.float32))
    except OverflowError as error:
        raise ModelRefused("The model server answered a number beyond all bounds.") from error


def _filled(vector: Floats) -> Floats:
    if not len(vector):
        raise ModelRefused("The model server answered an empty vector.")
    return vector


def _error_object(raw: bytes) -> Mapping[str, Any]:
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    error = body.get("error") if isinstance(body, dict) else None
    if isinstance(error, str):
        return {"message": error}
    return error if isinstance(error, dict) else {}


def _is_too_long(status: int, words: str) -> bool:
    return status in (400, 500) and _TOO_LONG.search(words) is not None


def _first_number(pattern: re.Pattern[str], words: str) -> int | None:
    found = pattern.search(words)
    return int(found.group(1)) if found else None

"""The server's side of llama-server's wire: requests are read and checked, answers are written. Pure.

Our one extension is `idf` in a rerank request, the weights of the query's words; llama-server ignores it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from memory.vectors import encode_vectors

# Far above what a worker sends (batches of 16, pools of 100), low enough that one request cannot hold a lane for long.
MAX_TEXTS = 512
MAX_BODY_BYTES = 8 * 1024 * 1024
MAX_WEIGHTS = 8192

# llama-server's word for each status it answers with.
ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    404: "not_found_error",
    405: "invalid_request_error",
    413: "invalid_request_error",
    500: "server_error",
    501: "not_supported_error",
    503: "unavailable_error",
}


class Refusal(Exception):
    """A request that is answered with an error of llama-server's shape."""

    def __init__(self, status: int, message: str) -> None:
        """Keep the HTTP status and the sentence."""
        super().__init__(message)
        self.status = status
        self.message = message

    @property
    def body(self) -> dict[str, Any]:
        """The answer's JSON."""
        kind = ERROR_TYPES.get(self.status, "server_error")
        return {"error": {"code": self.status, "message": self.message, "type": kind}}


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingsRequest:
    """What `/v1/embeddings` was asked."""

    texts: tuple[str, ...]
    base64: bool  # vectors as base64 of float32, not as number lists
    model: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankRequest:
    """What `/v1/rerank` was asked."""

    query: str
    passages: tuple[str, ...]
    top_n: int
    idf: Mapping[str, float] | None
    model: str | None


def read_object(raw: bytes) -> dict[str, Any]:
    """Parse a request body.

    Raises:
        Refusal: 400 when it is not a JSON object.
    """
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise Refusal(400, "The body is not JSON.") from error
    if not isinstance(value, dict):
        raise Refusal(400, "The body must be a JSON object.")
    return value


def read_embeddings(body: Mapping[str, Any]) -> EmbeddingsRequest:
    """Check an embeddings request.

    Raises:
        Refusal: 400 naming the field, 413 for too many texts.
    """
    given = body.get("input")
    texts = [given] if isinstance(given, str) else given
    encoding = body.get("encoding_format", "float")
    if encoding not in ("float", "base64"):
        raise Refusal(400, '"encoding_format" must be "float" or "base64".')
    return EmbeddingsRequest(texts=_texts(texts, "input"), base64=encoding == "base64", model=_model(body))


def read_rerank(body: Mapping[str, Any]) -> RerankRequest:
    """Check a rerank request.

    Raises:
        Refusal: 400 naming the field, 413 for too many documents.
    """
    query = body.get("query")
    if not isinstance(query, str):
        raise Refusal(400, '"query" must be a string.')
    passages = _texts(body.get("documents"), "documents")
    top_n = body.get("top_n")
    if top_n is None:
        top_n = len(passages)
    if not isinstance(top_n, int) or isinstance(top_n, bool) or top_n < 1:
        raise Refusal(400, '"top_n" must be a positive integer.')
    return RerankRequest(query=query, passages=passages, top_n=top_n, idf=_idf(body.get("idf")), model=_model(body))


def embeddings_body(vectors: npt.NDArray[np.float32], *, model: str, base64: bool, tokens: int) -> dict[str, Any]:
    """Write the answer to an embeddings request.

    Args:
        vectors: float32 (n, dimension), in the order of the texts.
        model: name to answer with.
        base64: as asked.
        tokens: read by the model.

    Returns:
        The JSON body.
    """
    data = [
        {"object": "embedding", "index": index, "embedding": encode_vectors(vector) if base64 else vector.tolist()}
        for index, vector in enumerate(vectors)
    ]
    return {"model": model, "object": "list", "usage": _usage(tokens), "data": data}


def rerank_body(scores: npt.NDArray[np.float32], *, model: str, top_n: int, tokens: int) -> dict[str, Any]:
    """Write the answer to a rerank request, best first; equal scores keep the order of the documents.

    Args:
        scores: float32 (n,), raw, in the order of the documents.
        model: name to answer with.
        top_n: most results.
        tokens: read by the model.

    Returns:
        The JSON body.
    """
    order = np.argsort(-scores, kind="stable")[:top_n]
    results = [{"index": int(index), "relevance_score": float(scores[index])} for index in order]
    return {"model": model, "object": "list", "usage": _usage(tokens), "results": results}


def models_body(model: str, *, dimension: int, context: int) -> dict[str, Any]:
    """Write the answer to `/v1/models`.

    Args:
        model: the only model's name.
        dimension: length of its vectors.
        context: most tokens of a text.

    Returns:
        The JSON body.
    """
    about = {"n_embd": dimension, "n_ctx_train": context}
    entry = {"id": model, "object": "model", "created": 0, "owned_by": "memlane", "meta": about}
    return {"object": "list", "data": [entry]}


def _texts(value: Any, field: str) -> tuple[str, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str) or not value:
        raise Refusal(400, f'"{field}" must be provided and must not be empty.')
    if not all(isinstance(text, str) for text in value):
        raise Refusal(400, f'"{field}" must hold strings only.')
    if len(value) > MAX_TEXTS:
        raise Refusal(413, f'"{field}" holds {len(value)} texts; at most {MAX_TEXTS} at a time.')
    return tuple(value)


def _idf(value: Any) -> dict[str, float] | None:
    if value is None:
        return None
    if not isinstance(value, dict) or len(value) > MAX_WEIGHTS:
        raise Refusal(400, f'"idf" must be an object of at most {MAX_WEIGHTS} weights.')
    if not all(_is_weight(weight) for weight in value.values()):
        raise Refusal(400, '"idf" must hold numbers from 0 to 1000 only.')
    return {word: float(weight) for word, weight in value.items()}


def _is_weight(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and math.isfinite(value) and 0 <= value <= 1000


def _model(body: Mapping[str, Any]) -> str | None:
    model = body.get("model")
    if model is not None and not isinstance(model, str):
        raise Refusal(400, '"model" must be a string.')
    return model


def _usage(tokens: int) -> dict[str, int]:
    return {"prompt_tokens": tokens, "total_tokens": tokens}

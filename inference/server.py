"""The embedded model server's application: llama-server's wire over the engine, one instance for each lane.

Plain WSGI, because six routes do not need a framework's memory in a process that is mostly model.
"""

from __future__ import annotations

import hmac
import json
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from inference.minilm import DIMENSION, MODEL_NAME
from inference.tokens import MAX_TOKENS
from inference.wire_requests import (
    MAX_BODY_BYTES,
    Refusal,
    embeddings_body,
    models_body,
    read_embeddings,
    read_object,
    read_rerank,
    rerank_body,
)
from memory.errors import ModelUnavailable

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

    from inference.engine import Engine

log = logging.getLogger(__name__)

Answer = Mapping[str, Any]


class Application:
    """The WSGI application of one lane. Trust boundary: all but health and models asks for the key."""

    def __init__(self, lane: str, engine: Callable[[], Engine | None], key: str) -> None:
        """Keep what a request needs.

        Args:
            lane: "interactive" or "background".
            engine: returns the engine, None while it is loading.
            key: bearer token that is asked for; none when empty.
        """
        self._lane = lane
        self._engine = engine
        self._key = key
        self._routes: dict[str, tuple[str, Callable[[WSGIEnvironment], Answer]]] = {
            "/health": ("GET", self._health),
            "/v1/models": ("GET", self._models),
            "/v1/embeddings": ("POST", self._embeddings),
            "/v1/rerank": ("POST", self._rerank),
        }

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        started = time.monotonic()
        try:
            status, body = 200, self._answer(environ)
        except Refusal as refusal:
            status, body = refusal.status, refusal.body
        except ModelUnavailable as error:
            status, body = 503, Refusal(503, error.message).body
        except Exception:
            log.exception("request failed", extra={"lane": self._lane, "path": environ.get("PATH_INFO", "")})
            status, body = 500, Refusal(500, "The model failed on this request; the log has the reason.").body
        raw = json.dumps(body).encode("ascii")
        headers = [("Content-Type", "application/json"), ("Content-Length", str(len(raw)))]
        start_response(f"{status} {HTTPStatus(status).phrase}", headers)
        log.debug("answered", extra={"lane": self._lane, "status": status, "ms": 1e3 * (time.monotonic() - started)})
        return [raw]

    def _answer(self, environ: WSGIEnvironment) -> Answer:
        path = environ.get("PATH_INFO", "")
        if path not in self._routes:
            raise Refusal(404, "File Not Found")
        method, answer = self._routes[path]
        if environ["REQUEST_METHOD"] != method:
            raise Refusal(405, f"{path} takes {method}.")
        if method == "POST":
            self._check_key(environ)
        return answer(environ)

    def _check_key(self, environ: WSGIEnvironment) -> None:
        given = environ.get("HTTP_AUTHORIZATION", "").removeprefix("Bearer ")
        if self._key and not hmac.compare_digest(given.encode(), self._key.encode()):
            raise Refusal(401, "Invalid API Key")

    def _loaded(self) -> Engine:
        engine = self._engine()
        if engine is None:
            raise Refusal(503, "Loading model")
        return engine

    def _health(self, environ: WSGIEnvironment) -> Answer:
        self._loaded()
        return {"status": "ok"}

    def _models(self, environ: WSGIEnvironment) -> Answer:
        return models_body(MODEL_NAME, dimension=DIMENSION, context=MAX_TOKENS)

    def _embeddings(self, environ: WSGIEnvironment) -> Answer:
        engine = self._loaded()
        asked = read_embeddings(read_object(_body(environ)))
        made = engine.embed(self._lane, asked.texts)
        name = asked.model or MODEL_NAME
        return embeddings_body(made.values, model=name, base64=asked.base64, tokens=made.tokens)

    def _rerank(self, environ: WSGIEnvironment) -> Answer:
        engine = self._loaded()
        asked = read_rerank(read_object(_body(environ)))
        made = engine.rerank(self._lane, asked.query, asked.passages, asked.idf)
        return rerank_body(made.values, model=asked.model or MODEL_NAME, top_n=asked.top_n, tokens=made.tokens)


def _body(environ: WSGIEnvironment) -> bytes:
    length = int(environ.get("CONTENT_LENGTH") or 0)
    if length > MAX_BODY_BYTES:
        raise Refusal(413, f"The body has {length} bytes; at most {MAX_BODY_BYTES}.")
    return bytes(environ["wsgi.input"].read(length))

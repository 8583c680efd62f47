"""The client of a model server: the only way anything here reaches a model, embedded or a real llama-server.

It retries lost connections and nothing else: an answer, also a wrong one, is the caller's to judge. Every call has one
limit of time in all, so that a server that drips cannot hold a caller.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal
from urllib.parse import unquote

import certifi
import numpy as np
import numpy.typing as npt
import urllib3
from urllib3 import HTTPConnectionPool, Timeout

from inference.wire_answers import answer_json, read_models, read_scores, read_vectors, refusal
from memory.errors import ModelRefused, ModelTimeout, ModelUnavailable, WrongModel

Floats = npt.NDArray[np.float32]
Kind = Literal["embedding", "rerank"]

# Seconds before each further try after a lost connection. The first is at once: a kept-alive socket that the server has
# closed meanwhile is the usual reason, and the next try opens a new one.
RETRY_WAITS = (0.0, 0.1)

# More than 512 vectors of 4096 numbers as decimal text; a server that sends more has lost its way.
MAX_ANSWER_BYTES = 64 * 1024 * 1024
READ_BYTES = 64 * 1024

# Several words, so that a server with pooling off answers more than one vector.
PROBE = "Anna moved from Bergen to Oslo in May."
PROBE_UNRELATED = "The price of copper fell again."


class ModelServer:
    """One model server. Thread safe; connections are kept alive and shared."""

    def __init__(
        self,
        url: str,
        key: str = "",
        *,
        timeout: float = 30.0,
        connect_timeout: float = 2.0,
        dimension: int | None = None,
        model: str = "",
        connections: int = 8,
    ) -> None:
        """Prepare the client; nothing is sent.

        Args:
            url: address of the server, with or without a trailing slash, without `/v1`.
            key: sent as a bearer token; none when empty.
            timeout: seconds a call may take in all, retries included.
            connect_timeout: seconds for one connection to be made.
            dimension: length of a vector; another is refused. None for any.
            model: name sent along; left out when empty.
            connections: connections kept open.
        """
        self.url = url.rstrip("/")
        self.dimension = dimension
        self._timeout = timeout
        self._connect_timeout = connect_timeout
        self._model = {"model": model} if model else {}
        self._pool, self._prefix, user = _pool(self.url, connections)
        self._headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        if user:
            self._headers |= urllib3.make_headers(basic_auth=user)

    def embed(self, texts: Sequence[str], *, timeout: float | None = None) -> Floats:
        """Embed texts.

        Args:
            texts: any texts; none sends nothing.
            timeout: seconds in all, when other than the client's.

        Returns:
            float32 (n, dimension), each row of length 1, in the order of the texts.

        Raises:
            ModelUnavailable: no connection, or the server is still loading.
            ModelTimeout: no whole answer in time.
            InputTooLong: a text is over the model's limit.
            ModelRefused: an error, or an answer that cannot be right.
            WrongModel: the server does not embed, or not with this model.
        """
        if not texts:
            return np.zeros((0, self.dimension or 0), dtype=np.float32)
        body = {"input": list(texts), "encoding_format": "base64", **self._model}
        return read_vectors(self._call("POST", "/v1/embeddings", body, timeout), len(texts), self.dimension, self.url)

    def rerank(
        self,
        query: str,
        passages: Sequence[str],
        idf: Mapping[str, float] | None = None,
        *,
        timeout: float | None = None,
    ) -> Floats:
        """Score passages against a query.

        Args:
            query: any text.
            passages: any texts; none sends nothing.
            idf: weights of the query's words or word pieces; only the embedded server heeds them.
            timeout: seconds in all, when other than the client's.

        Returns:
            float32 (n,), raw scores in the order of the passages, higher is better.

        Raises:
            ModelUnavailable: no connection, or the server is still loading.
            ModelTimeout: no whole answer in time.
            InputTooLong: the texts are over the model's limit.
            ModelRefused: an error, or an answer that cannot be right.
            WrongModel: the server does not rerank.
        """
        if not passages:
            return np.zeros(0, dtype=np.float32)
        body: dict[str, Any] = {"query": query, "documents": list(passages), "top_n": len(passages), **self._model}
        if idf:
            body["idf"] = dict(idf)
        return read_scores(self._call("POST", "/v1/rerank", body, timeout), len(passages))

    def chat(self, body: Mapping[str, Any], *, timeout: float | None = None) -> Any:
        """Have the server's language model answer; `inference/chat.py` has the questions.

        Args:
            body: of `/v1/chat/completions`.
            timeout: seconds in all, when other than the client's.

        Returns:
            The answer's JSON, unread.

        Raises:
            ModelUnavailable: no connection, or the server is still loading.
            ModelTimeout: no whole answer in time.
            InputTooLong: the prompt is over the model's context.
            ModelRefused: an error.
            WrongModel: the server does not chat.
        """
        return self._call("POST", "/v1/chat/completions", {**body, **self._model}, timeout)

    def health(self, *, timeout: float | None = None) -> None:
        """Return when the server is ready.

        Args:
            timeout: seconds in all, when other than the client's.

        Raises:
            ModelUnavailable: no connection, or it is still loading.
            ModelTimeout: no answer in time.
            ModelRefused: it says something else than ok.
        """
        answer = self._call("GET", "/health", None, timeout)
        if not isinstance(answer, dict) or answer.get("status") != "ok":
            raise ModelRefused("The model server does not say that it is ready.")

    def models(self, *, timeout: float | None = None) -> tuple[str, ...]:
        """Return the names of the models the server offers.

        Args:
            timeout: seconds in all, when other than the client's.

        Raises:
            ModelUnavailable: no connection, or it is still loading.
            ModelTimeout: no answer in time.
            ModelRefused: it answered something else.
        """
        return read_models(self._call("GET", "/v1/models", None, timeout))

    def check_kind(self, kind: Kind, *, timeout: float | None = None) -> None:
        """Ask the server to do its task once: the check at the start of whoever uses it.

        Args:
            kind: what the server is there for.
            timeout: seconds in all, when other than the client's.

        Raises:
            WrongModel: a chat server, a rerank server asked to embed or the reverse, pooling off, another dimension.
            ModelUnavailable: no connection, or it is still loading.
            ModelTimeout: no answer in time.
            ModelRefused: an error, or an answer that cannot be right.
        """
        if kind == "embedding":
            self.embed([PROBE], timeout=timeout)
            return
        scores = self.rerank(PROBE, [PROBE, PROBE_UNRELATED], timeout=timeout)
        if scores[0] == scores[1]:
            raise WrongModel("The server gives every passage the same score; it has no reranking head.")

    def close(self) -> None:
        """Close the connections."""
        if self._pool is not None:
            self._pool.close()

    def _call(self, method: str, path: str, body: Mapping[str, Any] | None, timeout: float | None) -> Any:
        deadline = time.monotonic() + (self._timeout if timeout is None else timeout)
        raw = None if body is None else json.dumps(body).encode("ascii")
        waits = iter(RETRY_WAITS)
        while True:
            try:
                return self._attempt(method, path, raw, deadline)
            except _ConnectionLost as lost:
                wait = next(waits, None)
                if wait is None or time.monotonic() + wait >= deadline:
                    message = f"The model server at {self.url} cannot be reached; check that it runs."
                    raise ModelUnavailable(message, url=self.url) from lost
                time.sleep(wait)

    def _attempt(self, method: str, path: str, raw: bytes | None, deadline: float) -> Any:
        left = deadline - time.monotonic()
        if left <= 0:
            raise ModelTimeout(url=self.url)
        if self._pool is None:
            message = f"The address {self.url} cannot be used; it must be http://HOST or https://HOST."
            raise ModelUnavailable(message, url=self.url)
        limits = Timeout(connect=min(self._connect_timeout, left), read=left)
        try:
            response = self._pool.urlopen(
                method, self._prefix + path, raw, self._headers, timeout=limits,
                retries=False, redirect=False, preload_content=False,
            )  # fmt: skip
            with response:
                content = _read_body(response, deadline)
        except (urllib3.exceptions.NewConnectionError, urllib3.exceptions.ProtocolError) as error:
            raise _ConnectionLost from error
        except urllib3.exceptions.ConnectTimeoutError as error:
            raise ModelUnavailable(f"The model server at {self.url} does not answer.", url=self.url) from error
        except urllib3.exceptions.TimeoutError as error:
            raise ModelTimeout(url=self.url) from error
        except urllib3.exceptions.HTTPError as error:
            raise _ConnectionLost from error
        if response.status != 200:
            raise refusal(response.status, content, self.url)
        return answer_json(content, self.url)


class _ConnectionLost(Exception):
    """The connection broke before the whole answer was there."""


def _read_body(response: urllib3.BaseHTTPResponse, deadline: float) -> bytes:
    """Read what arrives, piece by piece: the time-out of a socket starts anew with every byte."""
    content = bytearray()
    while piece := response.read1(READ_BYTES, decode_content=True):
        content += piece
        if time.monotonic() >= deadline:
            raise ModelTimeout("The model server answers too slowly; it was given up.")
        if len(content) > MAX_ANSWER_BYTES:
            raise ModelRefused("The model server's answer has no end; it was given up.")
    return bytes(content)


def _pool(url: str, connections: int) -> tuple[HTTPConnectionPool | None, str, str]:
    """Return the kept-alive connections to a server, the path before that of each call, and the address's user.

    They ask no proxy and no .netrc: the environment has no business between us and our own models. `requests` would
    take 0.4 ms more of each call that somebody waits for.

    Args:
        url: of the server.
        connections: how many are kept open.

    Returns:
        None in the place of the connections when it is no address.
    """
    try:
        parts = urllib3.util.parse_url(url)
    except urllib3.exceptions.LocationParseError:
        return None, "", ""
    if parts.scheme not in ("http", "https") or not parts.host:
        return None, "", ""
    trusted = {"cert_reqs": "CERT_REQUIRED", "ca_certs": certifi.where()} if parts.scheme == "https" else {}
    return urllib3.connection_from_url(url, maxsize=connections, **trusted), parts.path or "", unquote(parts.auth or "")

"""One JSON request and its answer: sessions, timeouts, retries, and the error of every failure."""

from __future__ import annotations

import enum
import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from requests.auth import AuthBase
from urllib3.util.retry import Retry

from memlane.errors import Invalid, MemlaneError, Misconfigured, NotMemlane, Unreachable, of_status

# A host on the same network answers in milliseconds; one lost packet is sent again after three seconds.
CONNECT_SECONDS = 3.05
# The server's longest wait is 30 s; as much again for a slow machine.
READ_SECONDS = 60.0
# Four more tries with pauses of 0, 0.5, 1 and 2 s outlast a restart of the server.
RETRIES = 4
BACKOFF_SECONDS = 0.25
# A request that was not answered in time is repeated once only: more would keep a person waiting for minutes.
READ_RETRIES = 1
# A Retry-After beyond this is not waited for: a person would rather see the error.
RETRY_AFTER_MOST_SECONDS = 10
LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Repeat(enum.Enum):
    """When a request may be sent again."""

    ALWAYS = "reads, and writes that carry an Idempotency-Key"
    UNSENT = "only when nothing was done: no connection, 429, 503"
    NEVER = "the first answer counts"


def _policy(repeat: Repeat) -> Retry:
    if repeat is Repeat.NEVER:
        return Retry(0, read=False)
    return Retry(
        total=RETRIES,
        connect=RETRIES,
        read=READ_RETRIES if repeat is Repeat.ALWAYS else 0,
        status=RETRIES,
        other=0,
        allowed_methods=None,
        status_forcelist=(429, 503),
        backoff_factor=BACKOFF_SECONDS,
        respect_retry_after_header=True,
        retry_after_max=RETRY_AFTER_MOST_SECONDS,
        raise_on_status=False,
    )


class Bearer(AuthBase):
    """Sends the key, and keeps a netrc file from replacing it."""

    def __init__(self, key: str | None) -> None:
        self._key = key

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        """Add the key to a request, if there is one."""
        if self._key:
            request.headers["Authorization"] = f"Bearer {self._key}"
        return request


def checked_url(url: str) -> str:
    """Return a base URL without its trailing slash.

    Raises:
        Misconfigured: it is not an http or https address.
    """
    try:
        parts = urlsplit(url.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise Misconfigured(f"{url!r} is not the address of a server.", details={"hint": "Use http://host:port."})
    return url.strip().rstrip("/")


def checked_key(key: str | None) -> str | None:
    """Return a key without surrounding space; None for an empty one.

    Raises:
        Misconfigured: it holds characters that no header can carry.
    """
    stripped = (key or "").strip()
    if not (stripped.isascii() and (stripped.isprintable() or not stripped)):
        raise Misconfigured("The API key holds characters that no key has.", details={"hint": "Copy it again."})
    return stripped or None


class Transport:
    """Sends JSON and gives back JSON, or raises."""

    def __init__(self, url: str, key: str | None, *, timeout: float = READ_SECONDS) -> None:
        """Prepare one session for each retry policy; nothing is sent yet.

        Args:
            url: base URL of the server.
            key: API key; None sends none.
            timeout: seconds to wait for an answer.
        """
        self.url = checked_url(url)
        self._timeout = (CONNECT_SECONDS, timeout)
        self._sessions = {repeat: self._session(repeat, checked_key(key)) for repeat in Repeat}

    def _session(self, repeat: Repeat, key: str | None) -> requests.Session:
        session = requests.Session()
        session.auth = Bearer(key)
        # A proxy of the environment cannot reach this machine's own loopback.
        session.trust_env = urlsplit(self.url).hostname not in LOOPBACK
        for scheme in ("http://", "https://"):
            session.mount(scheme, HTTPAdapter(max_retries=_policy(repeat)))
        return session

    def close(self) -> None:
        """Close every connection."""
        for session in self._sessions.values():
            session.close()

    def call(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        form: Mapping[str, str] | None = None,
        file: tuple[str, bytes] | None = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        repeat: Repeat = Repeat.ALWAYS,
        accept: tuple[int, ...] = (),
    ) -> Any:
        """Send one request.

        Args:
            method: the HTTP method.
            path: begins with a slash.
            body: JSON values; None sends no body.
            form: fields of a form, beside a file.
            file: its name and its bytes.
            query: parameters; those that are None are left out.
            headers: more headers.
            repeat: when it may be sent again.
            accept: error statuses whose JSON body is an answer all the same.

        Returns:
            The answer's JSON; an empty object for an answer without a body.

        Raises:
            Invalid: the body cannot be written as JSON.
            Unreachable: no answer came.
            MemlaneError: the answer is an error, see `memlane.errors`.
        """
        data: Any = form if body is None else _encoded(body)
        sent = {
            "Accept": "application/json",
            **({"Content-Type": "application/json"} if body is not None else {}),
            **(headers or {}),
        }
        try:
            response = self._sessions[repeat].request(
                method, self.url + path, data=data, files={"file": file} if file else None, params=_present(query),
                headers=sent, timeout=self._timeout, allow_redirects=False,
            )  # fmt: skip
        except requests.RequestException as error:
            raise self._unreachable(error) from error
        return _read(response, accept)

    def lines(self, path: str, *, query: Mapping[str, Any] | None = None, accept: str) -> Iterator[str]:
        """Yield the lines of an answer as they come; none when it is of another media type.

        A stream that breaks off ends here without an error, as one that is at its end.

        Args:
            path: begins with a slash.
            query: parameters; those that are None are left out.
            accept: the media type.

        Yields:
            Lines without their ends.

        Raises:
            Unreachable: no answer came.
            MemlaneError: the answer is an error, see `memlane.errors`.
        """
        try:
            response = self._sessions[Repeat.NEVER].get(
                self.url + path, params=_present(query), headers={"Accept": accept}, timeout=self._timeout,
                allow_redirects=False, stream=True,
            )  # fmt: skip
        except requests.RequestException as error:
            raise self._unreachable(error) from error
        with response:
            if response.status_code != 200:
                _read(response, ())
            if not response.headers.get("Content-Type", "").startswith(accept):
                return
            try:
                for line in response.iter_lines():
                    yield line.decode("utf-8")
            except (requests.ConnectionError, requests.exceptions.ChunkedEncodingError):
                return

    def stream(
        self,
        method: str,
        path: str,
        *,
        data: Any = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        seconds: float,
    ) -> requests.Response:
        """Send one request whose body, or whose answer, is larger than memory; it is never sent again.

        Args:
            method: the HTTP method.
            path: begins with a slash.
            data: bytes, or what they are read from.
            query: parameters; those that are None are left out.
            headers: more headers.
            seconds: the longest pause of the server.

        Returns:
            The answer, whose body is still to be read; the caller closes it.

        Raises:
            Unreachable: no answer came.
            MemlaneError: the answer is an error.
        """
        try:
            response = self._sessions[Repeat.NEVER].request(
                method, self.url + path, data=data, params=_present(query), headers=headers, stream=True,
                timeout=(CONNECT_SECONDS, seconds), allow_redirects=False,
            )  # fmt: skip
            if response.status_code >= 300:
                raise _error(response, _json(response))
        except requests.RequestException as error:
            raise self._unreachable(error) from error
        return response

    def _unreachable(self, error: requests.RequestException) -> MemlaneError:
        if isinstance(error, requests.Timeout) or "timed out" in str(error):
            sentence = f"{self.url} did not answer in time."
        else:
            sentence = f"Cannot reach {self.url}."
        hint = "Start a server with `memlane up`, or set MEMLANE_URL."
        return Unreachable(sentence, code="unreachable", details={"hint": hint, "reason": type(error).__name__})


def _encoded(body: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(body, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise Invalid("The text holds characters that are not valid Unicode.", code="invalid") from error
    except ValueError as error:
        raise Invalid("Numbers must be finite.", code="invalid") from error


def _present(values: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name: value for name, value in (values or {}).items() if value is not None}


def _read(response: requests.Response, accept: tuple[int, ...]) -> Any:
    payload = _json(response)
    if response.ok and response.status_code < 300:
        if payload is None and response.content:
            raise NotMemlane(code="not_memlane", status=response.status_code)
        return {} if payload is None else payload
    if response.status_code in accept and isinstance(payload, dict) and "error" not in payload:
        return payload
    raise _error(response, payload)


def _json(response: requests.Response) -> Any:
    try:
        return response.json()
    except requests.JSONDecodeError:
        return None


def _error(response: requests.Response, payload: Any) -> MemlaneError:
    status = response.status_code
    if not (isinstance(payload, dict) and isinstance(payload.get("error"), str)) or payload.get("code") == "no_route":
        wrong = {"status": status, "hint": "Check MEMLANE_URL, and that client and server are of one version."}
        kind = NotMemlane if status < 500 else of_status(status)
        return kind(code=f"http_{status}", details=wrong, status=status)
    details: Any = payload.get("details")
    return of_status(status)(
        payload["error"],
        code=str(payload.get("code", f"http_{status}")),
        details=details if isinstance(details, dict) else {"hint": details} if details else {},
        status=status,
        request_id=response.headers.get("X-Request-Id"),
    )

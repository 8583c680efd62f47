"""An issuer of ID tokens with real keys, which can be asked over HTTP and can go wrong."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

AUDIENCE = "memlane-client"
NAME = "https://issuer.test"


def rsa_key(bits: int = 2048) -> Any:
    return rsa.generate_private_key(public_exponent=65537, key_size=bits)


def jwk_of(key: Any, kid: str | None, **more: Any) -> dict[str, Any]:
    public = key.public_key()
    algorithm = (
        RSAAlgorithm if isinstance(public, rsa.RSAPublicKey)
        else ECAlgorithm if isinstance(public, ec.EllipticCurvePublicKey)
        else OKPAlgorithm
    )  # fmt: skip
    return {**json.loads(algorithm.to_jwk(public)), **({"kid": kid} if kid is not None else {}), **more}


class FakeIssuer:
    """Signs whatever it is asked to."""

    def __init__(self, name: str = NAME) -> None:
        self.name = name
        self.keys = {
            "rsa": rsa_key(),
            "p256": ec.generate_private_key(ec.SECP256R1()),
            "p384": ec.generate_private_key(ec.SECP384R1()),
            "ed": ed25519.Ed25519PrivateKey.generate(),
        }
        self.published: list[dict[str, Any]] = []
        self.fetches = 0
        self.broken: Any = None  # what is answered in place of the keys; an exception is raised
        self.begin_anew()

    def begin_anew(self) -> FakeIssuer:
        """Publish every key again and forget what was asked; the keys stay, for making them takes a second."""
        self.published = [jwk_of(key, kid, use="sig") for kid, key in self.keys.items()]
        self.fetches, self.broken = 0, None
        return self

    def jwks(self) -> Any:
        self.fetches += 1
        if isinstance(self.broken, Exception):
            raise self.broken
        return self.broken if self.broken is not None else {"keys": list(self.published)}

    def claims(self, now: float, **changed: Any) -> dict[str, Any]:
        """The claims of a good token; None takes one away."""
        good = {"iss": self.name, "sub": "ada", "aud": AUDIENCE, "iat": int(now), "exp": int(now) + 600}
        return {name: value for name, value in {**good, **changed}.items() if value is not None}

    def token(self, now: float, *, kid: Any = "rsa", alg: str = "RS256", key: Any = None, header: Any = None,
              **changed: Any) -> str:  # fmt: skip
        key = key if key is not None else self.keys.get(kid, self.keys["rsa"])
        headers = {**({"kid": kid} if kid is not None else {}), **(header or {})}
        return jwt.encode(self.claims(now, **changed), key, algorithm=alg, headers=headers)


@contextmanager
def served(issuer: FakeIssuer) -> Iterator[FakeIssuer]:
    """Serve discovery and keys on loopback; the issuer is named by its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/.well-known/openid-configuration":
                return self._answer({"issuer": issuer.name, "jwks_uri": f"{issuer.name}/keys"})
            try:
                return self._answer(issuer.jwks())
            except OSError:
                self.send_error(500)

        def _answer(self, value: Any) -> None:
            body = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    issuer.name = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield issuer
    finally:
        server.shutdown()
        server.server_close()

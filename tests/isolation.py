"""One caller in two worlds: the same requests where somebody else has data, and where nobody has.

The victim's data is told by words that stand nowhere else. The caller holds the same data of their own in both worlds,
and sends the victim's ids and names to both. Whatever differs between the two answers tells the caller that something
is there that is not theirs. Nothing is listed: routes, parameters and fields come from the app, ids from the rows.
"""

from __future__ import annotations

import base64
import json
import re
import types
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from flask import Flask
from flask.testing import FlaskClient
from pydantic import BaseModel
from werkzeug.routing import Rule

from api.app import create_app
from api.operations import Operation, operation_of
from services import keys
from services.host import Host
from tests.pipeline import Pipeline

# An id is a kind and 26 characters of the alphabet of `services/identifiers.py`.
ID = re.compile(r"\b([a-z]{2,4})_([0-9A-HJKMNP-TV-Z]{26})\b")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)")
# Salted, so that no two are the same.
HASH = re.compile(r"\b[0-9a-f]{64}\b")
RANDOM = re.compile(r"(?<![\w+/-])[\w+/-]{22,}={0,2}")
MICROS = re.compile(r"\b17\d{14}\b")
CURSOR = re.compile(r'("next_?[cC]ursor": ?")([A-Za-z0-9_-]+)')
# The number of a row in its space. It tells how many there have been, which users of one space may know of another.
NUMBER = re.compile(r'"(?:next_row|row)": ?\d+')
TOOK = re.compile(r'"(?:milliseconds|ms|timing|took_ms)": ?[\d.]+')
# Words that nobody else writes, wherever the victim may put one.
WORDS = {
    "content": "zqcontent", "title": "zqtitle", "metadata": "zqmeta", "custom_id": "zqcustom", "tag": "zqtag",
    "user": "zquser", "agent": "zqagent", "session": "zqsession", "speaker": "zqspeaker", "bucket": "zqbucket",
    "note": "zqnote", "url": "zqurl",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class World:
    """An app with the data of a caller, and with or without that of a victim."""

    app: Flask
    host: Host
    caller: Mapping[str, str]  # headers
    victim: Mapping[str, str]  # headers
    tenant: str  # whose file the victim's rows are in

    def client(self) -> FlaskClient:
        return FlaskClient(self.app, self.app.response_class, use_cookies=False)

    def rows(self) -> Iterator[tuple[str, str]]:
        """Every row of the victim's file, as text, with its table."""
        with self.host.store.read(self.tenant) as db:
            tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()]
            # Of full text: one index over everybody's words, and the words again that are in other tables.
            tables = [table for table in tables if not table.startswith("search_text")]
            for table in sorted(tables):
                for row in db.execute(f"SELECT * FROM {table}").fetchall():
                    yield table, " ".join(str(value) for value in tuple(row))

    def ids(self) -> tuple[str, ...]:
        """One id of each kind from the rows that hold one of the victim's words."""
        found: dict[str, str] = {}
        for _, text in self.rows():
            if any(word in text for word in WORDS.values()):
                for match in ID.finditer(text):
                    found.setdefault(match[1], match[0])
        return tuple(sorted(found.values()))

    def dump(self) -> Counter[str]:
        """Every row of the victim's."""
        marks = (*WORDS.values(), *self.ids())
        return Counter(f"{table} {text}" for table, text in self.rows() if any(mark in text for mark in marks))


def world(folder: Path, *, within: str, victim: bool) -> World:
    """Fill a world.

    Args:
        folder: of its store.
        within: what keeps the caller from the victim's data: "tenant", "space" or "user".
        victim: whether there is one.
    """
    pipeline = Pipeline(folder)
    settings = replace(
        pipeline.host.settings, host="0.0.0.0", key_rate=0.0, stranger_rate=0.0, wait_seconds=0.05,
        interactive_timeout=0.5,
    )  # fmt: skip
    host = replace(pipeline.host, settings=settings)

    def header(tenant: str, **limits: Any) -> dict[str, str]:
        made = keys.create(host, tenant=tenant, label="x", actor_kind="person", **limits)
        return {"Authorization": f"Bearer {made.secret}"}

    limits = {"tenant": {}, "space": {"spaces": ["own"]}, "user": {"user": "own"}}[within]
    tenant = "victim" if within == "tenant" else "caller"
    one = World(app=create_app(host), host=host, caller=header("caller", **limits), victim=header(tenant),
                tenant=tenant)  # fmt: skip
    own = {name: f"own{word[2:]}" for name, word in WORDS.items()} | {"tag": "own", "user": "own"}
    fill(one.client(), one.caller, own, whole=within != "user")
    pipeline.settle()
    if victim:
        fill(one.client(), one.victim, {**WORDS, "tag": "own"} if within == "user" else WORDS, whole=within != "user")
        pipeline.settle()
    return one


def fill(client: FlaskClient, headers: Mapping[str, str], words: Mapping[str, str], *, whole: bool = True) -> None:
    """Put in one of everything that there is a route for.

    Args:
        client: of the app.
        headers: of whose it is.
        words: what it is told by.
        whole: whether also what goes over a whole space, which a key that is bound to a user may not change.
    """
    tag, user, text = words["tag"], words["user"], words["content"]
    common = {"containerTag": tag, "userId": user}

    def send(method: str, path: str, **body: Any) -> Any:
        answer = client.open(path, method=method, json=body, headers=headers)
        assert answer.status_code < 300, f"{method} {path}: {answer.get_data(as_text=True)}"
        return answer.get_json()

    send("POST", "/v3/documents", content=f"# {words['title']}\n\nThe {text} of Ann is blue. Ann lives in {text}.",
         customId=words["custom_id"], metadata={"topic": words["metadata"]}, **common)  # fmt: skip
    send("POST", "/v4/conversations", conversationId=words["session"], **common, messages=[
        {"role": "user", "content": f"My dog is called {text}.", "name": words["speaker"]},
        {"role": "assistant", "content": f"I know that {text} is a good name."},
    ])  # fmt: skip
    send("POST", "/v1/episodes", session_id=f"{words['session']}-log", role="user", content=f"Hello {text}.",
         container_tag=tag, user_id=user)  # fmt: skip
    made = send("POST", "/v4/memories", **common, memories=[
        {"content": f"Bob keeps a {text} in the garden."}, {"content": f"Bob paints the {text} green."},
        {"content": f"Cleo sold her {text} last year."},
    ])  # fmt: skip
    send("PATCH", "/v4/memories", id=made["memories"][0]["id"], newContent=f"Bob keeps two {text} now.", **common)
    send("POST", "/v4/memories/forget-matching", query=f"Cleo sold her {text} last year.", threshold=0.9, **common)
    send("POST", "/v1/context/scratchpad", session_id=words["session"], content=words["note"], container_tag=tag,
         user_id=user)  # fmt: skip
    erased = send("POST", "/v4/memories", **common, memories=[{"content": f"Dora lost the {text} at sea."}])
    send("POST", "/v1/erasures", kind="memory", id=erased["memories"][0]["id"], container_tag=tag, user_id=user)
    if whole:
        send("PUT", "/v1/profile/buckets", key=words["bucket"], description=words["bucket"], container_tag=tag)


@dataclass(frozen=True, kw_only=True)
class Probe:
    """One request, with a place for a name."""

    method: str
    path: str
    query: Mapping[str, Any]
    body: Any
    sent: str  # the victim's id or name

    def open(self, client: FlaskClient, headers: Mapping[str, str]) -> Any:
        with_body = {"json": self.body} if self.body is not None else {}
        return client.open(self.path, method=self.method, query_string=self.query, headers=headers, **with_body)


def rules(app: Flask) -> Iterator[tuple[str, Rule, Operation | None]]:
    """Every route of an app but those of the control plane, which keys of data do not reach."""
    for rule in sorted(app.url_map.iter_rules(), key=lambda one: (one.rule, sorted(one.methods or ()))):
        if rule.rule.startswith("/v1/admin"):
            continue
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            yield method, rule, operation_of(app.view_functions[rule.endpoint])


def probes(method: str, rule: Rule, said: Operation | None, names: Sequence[str]) -> Iterator[Probe]:
    """Every request to a route with one of the names in one of its places."""
    body = _example(said)
    plain = {one: "1" if "int" in str(rule._converters.get(one)) else "some-name" for one in rule.arguments}
    for name in names:
        for place in sorted(rule.arguments):
            yield Probe(method=method, path=_path(rule, {**plain, place: name}), query={}, body=body, sent=name)
        path = _path(rule, plain)
        for place, value in _places(said.query if said else None, name):
            yield Probe(method=method, path=path, query={place: _as_text(value)}, body=body, sent=name)
        for place, value in _places(said.body if said else None, name):
            yield Probe(method=method, path=path, query={}, body=_put(body, place, value), sent=name)


def _path(rule: Rule, values: Mapping[str, str]) -> str:
    return re.sub(r"<(?:[^:<>]+:)?([^<>]+)>", lambda part: values[part[1]], rule.rule)


def _example(said: Operation | None) -> Any:
    if said is None or said.body is None:
        return None
    return dict(said.example or {})


def _places(schema: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Return each field of a schema that may hold a text, somewhere, with the name put there."""
    for field, info in schema.model_fields.items() if schema is not None else ():
        for value in _values(info.annotation, name):
            yield info.alias or field, value


def _values(annotation: Any, name: str) -> Iterator[Any]:
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        yield from _values(inner[0], name)
    elif origin in (Union, types.UnionType):
        for one in inner:
            yield from _values(one, name)
    elif origin in (list, tuple, Sequence):
        yield from ([one] for one in _values(inner[0], name))
    elif origin is Literal or annotation in (int, float, bool, type(None)):
        return
    elif origin is dict or annotation is dict:
        yield {"topic": name}
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield from ({place: value} for place, value in _places(annotation, name))
    else:
        yield name
        if annotation is Any:
            yield {"AND": [{"key": "topic", "value": name}]}
            yield {"AND": [{"key": name, "value": "x"}]}


def _put(body: Any, place: str, value: Any) -> Any:
    """Put a value into a body; what is a list of objects there keeps the other fields of its first."""
    there = body.get(place)
    if isinstance(there, list) and there and isinstance(there[0], dict) and isinstance(value, list):
        value = [{**there[0], **one} if isinstance(one, dict) else one for one in value]
    elif isinstance(there, dict) and isinstance(value, dict):
        value = {**there, **value}
    return {**body, place: value}


def _as_text(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, dict) else value


def told(answer: Any, sent: str, *, within: str = "tenant") -> str:
    """What an answer tells: without the name that was sent, and without what any two answers differ in."""
    text = ID.sub(r"\1_<id>", CURSOR.sub(r"\1<cursor>", _without(answer, sent)))
    for differing in (TIME, HASH, RANDOM, MICROS, TOOK, *([NUMBER] if within == "user" else [])):
        text = differing.sub("<differs>", text)
    return f"{answer.status_code} {answer.mimetype} {text}"


def seen(answer: Any, sent: str, secrets: Sequence[str]) -> set[str]:
    """What of the victim's an answer holds, beside what was sent; also in its headers and within its cursors."""
    text = _without(answer, sent)
    inside = [base64.urlsafe_b64decode(found[2] + "==").decode("latin-1") for found in CURSOR.finditer(text)]
    everything = " ".join((text, str(answer.headers), *inside))
    return {one for one in secrets if one in everything}


def _without(answer: Any, sent: str) -> str:
    text: str = answer.get_data(as_text=True)
    return text.replace(json.dumps(sent)[1:-1], "<sent>").replace(sent, "<sent>") if sent else text

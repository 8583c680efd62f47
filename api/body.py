"""Reads JSON bodies and query strings: what cannot be kept faithfully is refused here, with the field named.

A JSON body is an object in UTF-8 without NaN, Infinity, NUL characters or lone surrogates: the store could not keep
those, or would give them back changed. The number of a query string is decimal text.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar, cast
from urllib.parse import unquote_to_bytes

from flask import g, request
from pydantic import ValidationError
from werkzeug.exceptions import UnsupportedMediaType

from api.context import host
from api.schemas.fields import SHOWN_CHARACTERS, Fields
from api.schemas.refusals import place, refusal
from memory.errors import InvalidInput

Parsed = TypeVar("Parsed", bound=Fields)
Path = tuple[str | int, ...]

# Only with one of these in the raw text can a string hold a NUL or half a surrogate pair.
ESCAPES = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
# Longer numbers than this are out of every range; int() of thousands of digits is slow.
WHOLE = re.compile(r"-?[0-9]{1,18}")


def body(schema: type[Parsed]) -> Parsed:
    """Return the request's JSON body as a schema.

    Args:
        schema: the fields this route knows.

    Raises:
        InvalidInput: no body, not JSON, not an object, or a field that is wrong; the details name it.
        UnsupportedMediaType: the content type is another than JSON.
    """
    return _validated(schema, json_object())


def body_if_any(schema: type[Parsed]) -> Parsed:
    """Return the request's JSON body as a schema; without a body every field has its default.

    Raises:
        InvalidInput: there is a body and it is wrong.
    """
    return body(schema) if request.get_data(cache=True).strip() else _validated(schema, {})


def query(schema: type[Parsed]) -> Parsed:
    """Return the request's query string as a schema; whole numbers are read as decimal text.

    Raises:
        InvalidInput: a parameter that is wrong, unknown or sent twice.
    """
    _refuse_undecodable(request.query_string)
    known = schema.text_kinds()
    values = {}
    for name in request.args:
        texts = request.args.getlist(name)
        kind = known.get(schema.canonical(name) or "", "text")
        if kind == "list":
            values[name] = texts
        elif len(texts) > 1:
            raise InvalidInput(f"`{name}` was sent more than once.", field=name)
        else:
            values[name] = from_text(texts[0], kind)
    return _validated(schema, values)


def no_query(*, bodied: bool) -> None:
    """Refuse a query string where none is taken: what was misplaced would act as if it had not been sent.

    Args:
        bodied: whether the request takes a body.

    Raises:
        InvalidInput: there is a name in it.
    """
    _refuse_undecodable(request.query_string)
    for name in request.args:
        shown = name[:SHOWN_CHARACTERS]
        hint = "Send it in the body." if bodied else "It takes no fields."
        raise InvalidInput(f"`{shown}` is in the query string, which this request has none of.", field=shown, hint=hint)


def checked(schema: type[Parsed], values: Mapping[str, Any]) -> Parsed:
    """Return the values of a form as a schema.

    Raises:
        InvalidInput: a value that is wrong, unknown, or cannot be kept faithfully.
    """
    _refuse_unfit(values)
    return _validated(schema, values)


def json_object() -> dict[str, Any]:
    """Return the request's body as the JSON object it must be.

    Raises:
        InvalidInput: it is empty, not JSON, or JSON of another kind.
        UnsupportedMediaType: it says it is something else.
    """
    if "json_object" not in g:
        raw = request.get_data(cache=True)
        if not raw.strip():
            raise InvalidInput("The body is empty; send a JSON object.", field="body")
        if not request.is_json:
            raise UnsupportedMediaType
        value = parse(raw)
        if not isinstance(value, dict):
            raise InvalidInput("The body must be a JSON object.", field="body")
        g.json_object = value
    return cast(dict[str, Any], g.json_object)


def parse(raw: bytes) -> Any:
    """Parse JSON, refusing what cannot be kept.

    Raises:
        InvalidInput: not JSON in UTF-8, nested too deeply, or a value that is no JSON number or no text.
    """
    constants: list[str] = []
    try:
        value = json.loads(
            raw.decode("utf-8"), parse_float=_finite(constants), parse_constant=constants.append,
            object_pairs_hook=_each_once,
        )  # fmt: skip
    except InvalidInput:
        raise
    except RecursionError as error:
        raise InvalidInput("The body is nested too deeply.", field="body") from error
    except ValueError as error:
        raise InvalidInput(f"The body is not valid JSON: {error}.", field="body") from error
    if constants:
        # The parser does not say where; a second pass over this rare body finds the place.
        value = json.loads(raw)
    if constants or ESCAPES.search(raw):
        _refuse_unfit(value)
    return value


def _refuse_undecodable(sent: bytes) -> None:
    """Refuse a query string that is not UTF-8 behind its percent signs; Werkzeug would put other text in its place."""
    for pair in sent.split(b"&"):
        name, _, value = (unquote_to_bytes(part.replace(b"+", b" ")) for part in pair.partition(b"="))
        try:
            shown = name.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InvalidInput("A name in the query string is not UTF-8.", field="query") from error
        try:
            value.decode("utf-8")
        except UnicodeDecodeError as error:
            shown = shown[:SHOWN_CHARACTERS]
            raise InvalidInput(f"`{shown}` is not UTF-8 text.", field=shown) from error


def _validated(schema: type[Parsed], values: Mapping[str, Any]) -> Parsed:
    try:
        return schema.model_validate(values, context=host().settings)
    except ValidationError as error:
        raise refusal(error) from error


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its pairs; of two values under one name neither is chosen quietly."""
    value = dict(pairs)
    if len(value) != len(pairs):
        names = Counter(name for name, _ in pairs)
        twice = next(name for name, times in names.items() if times > 1)[:SHOWN_CHARACTERS]
        raise InvalidInput(f"`{twice}` was sent more than once in one object.", field=twice)
    return value


def _finite(constants: list[str]) -> Any:
    def read(text: str) -> float:
        number = float(text)
        if number in (float("inf"), float("-inf")):
            constants.append(text)
        return number

    return read


def _refuse_unfit(value: Any) -> None:
    for path, leaf in _leaves(value, ()):
        name = place(path) or "body"
        if isinstance(leaf, float) and not -float("inf") < leaf < float("inf"):
            raise InvalidInput(f"`{name}` must be a finite number; NaN and Infinity are not JSON.", field=name)
        if isinstance(leaf, str) and not _storable(leaf):
            raise InvalidInput(f"`{name}` holds a NUL character or half a surrogate pair; send text.", field=name)


def _storable(text: str) -> bool:
    return "\x00" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def _leaves(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield path, name
            yield from _leaves(inner, (*path, name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _leaves(inner, (*path, index))
    else:
        yield path, value


def from_text(text: str, kind: str) -> Any:
    """Return a text of a query string or form as what its field holds; as it is when it does not read as that."""
    if kind == "whole" and WHOLE.fullmatch(text):
        return int(text)
    if kind == "switch" and text in ("true", "false"):
        return text == "true"
    return text

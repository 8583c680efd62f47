"""Reads a multipart form with one file: what is too large, doubled or unknown is refused with the field named.

A trust boundary: names of files and parts are a stranger's. The parser spools a large part to a temporary file, counts
what it reads, and stops at the limit.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from flask import request
from werkzeug.datastructures import FileStorage

from api.body import checked, from_text, parse
from api.context import host
from api.schemas.fields import Fields
from memory.errors import InvalidInput, TooLarge

Parsed = TypeVar("Parsed", bound=Fields)

FILE = "file"
# Beside the file: its fields with their heads.
FIELDS_BYTES = 1024 * 1024
MOST_PARTS = 60
# Fields whose text is JSON, and what a text that is none is taken for.
_OBJECTS = ("metadata", "filterByMetadata")
_LISTS = ("containerTags",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload(Generic[Parsed]):
    """A form that was sent."""

    fields: Parsed
    name: str | None  # of the file, as it was sent
    media_type: str | None
    body: bytes
    hash: str  # hex sha256 of fields and file: equal for equal requests


def upload(schema: type[Parsed]) -> Upload[Parsed]:
    """Return the request's form and its file.

    Args:
        schema: the fields this route knows.

    Raises:
        InvalidInput: it is no form, has no file or several, or a field is wrong; the details name it.
        TooLarge: the file is over the limit.
    """
    most = host().settings.max_file_bytes
    request.max_content_length = most + FIELDS_BYTES
    request.max_form_parts = MOST_PARTS
    if request.mimetype != "multipart/form-data":
        raise InvalidInput("Send a form (`multipart/form-data`) with the file in the part `file`.", field="body")
    file = _only_file()
    values = _fields(schema)
    with closing(file):
        body = file.stream.read(most + 1)
    if len(body) > most:
        raise TooLarge(f"`{FILE}` is larger than {most} bytes.", field=FILE)
    return Upload(
        fields=checked(schema, values), name=file.filename, media_type=file.content_type, body=body,
        hash=_hash(values, body),
    )  # fmt: skip


def _only_file() -> FileStorage:
    others = [name for name in request.files if name != FILE]
    if others:
        raise InvalidInput(f"`{others[0][:100]}` is not a part of this form; send one file, as `{FILE}`.", field=FILE)
    files = request.files.getlist(FILE)
    if len(files) != 1 or FILE in request.form:
        hint = "Send exactly one, with a file name."
        raise InvalidInput(f"`{FILE}` must be one file.", field=FILE, hint=hint)
    return files[0]


def _fields(schema: type[Fields]) -> dict[str, Any]:
    kinds = schema.text_kinds()
    values: dict[str, Any] = {}
    for name in request.form:
        texts = request.form.getlist(name)
        known = schema.canonical(name) or ""
        if known in _LISTS:
            values[name] = _list(name, texts)
        elif len(texts) > 1:
            raise InvalidInput(f"`{name[:100]}` was sent more than once.", field=name[:100])
        elif known in _OBJECTS:
            values[name] = _json(name, texts[0])
        else:
            values[name] = from_text(texts[0], kinds.get(known, "text"))
    return values


def _list(name: str, texts: list[str]) -> Any:
    return _json(name, texts[0]) if len(texts) == 1 and texts[0].lstrip().startswith("[") else texts


def _json(name: str, text: str) -> Any:
    try:
        return parse(text.encode("utf-8", "surrogatepass"))
    except InvalidInput as error:
        raise InvalidInput(f"`{name}` must be JSON. {error.message}", field=name) from error


def _hash(values: dict[str, Any], body: bytes) -> str:
    said = json.dumps(values, sort_keys=True, separators=(",", ":")).encode()
    return hashlib.sha256(hashlib.sha256(said).digest() + hashlib.sha256(body).digest()).hexdigest()

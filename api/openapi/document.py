"""The OpenAPI document of an app: one path a route, from what is said beside its view."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

from flask import Flask
from pydantic import BaseModel
from werkzeug.routing import Rule

from api.openapi import refusals
from api.openapi.answers import NOT_MODIFIED, UNCHANGED, answers
from api.openapi.parts import HEADERS, INFO, PARAMETERS, SECURITY, security
from api.openapi.requests import described_parameters, named, request_body
from api.openapi.schemas import components
from api.operations import Operation, operation_of

Json = dict[str, Any]
References = dict[type[BaseModel], Json]
PLACEHOLDER = re.compile(r"<(?:(\w+):)?(\w+)>")
# Answered by the framework for every route; no route says them.
BY_ITSELF = frozenset(("HEAD", "OPTIONS"))


def document(app: Flask) -> Json:
    """Return the OpenAPI 3.1 document of an app."""
    found = list(operations(app))
    models = {model for _, _, said in found for model in _models(said)}
    schemas, references = components(models)
    paths: dict[str, Json] = {}
    for rule, method, said in found:
        paths.setdefault(written(rule.rule), {})[method.lower()] = _operation(rule, method, said, schemas, references)
    return {
        "openapi": "3.1.0",
        "info": INFO,
        "tags": list(_tags(app)),
        "paths": dict(sorted(paths.items())),
        "components": {
            "schemas": {"Error": refusals.ERROR, **schemas},
            "responses": {**refusals.responses(), NOT_MODIFIED: UNCHANGED},
            "parameters": PARAMETERS,
            "headers": HEADERS,
            "securitySchemes": SECURITY,
        },
    }


def operations(app: Flask) -> Iterator[tuple[Rule, str, Operation]]:
    """Yield each route that is described, with its method, in the order of the addresses."""
    for rule in sorted(app.url_map.iter_rules(), key=lambda rule: rule.rule):
        said = operation_of(app.view_functions[rule.endpoint])
        for method in sorted((rule.methods or set()) - BY_ITSELF) if said else ():
            yield rule, method, said  # type: ignore[misc]


def written(rule: str) -> str:
    """Return the address of a rule as a document writes it: what may be an id or a customId is `{id}`."""
    return PLACEHOLDER.sub(lambda part: f"{{{'id' if part[2] == 'ref' else part[2]}}}", rule)


def _tags(app: Flask) -> Iterator[Json]:
    for name, blueprint in app.blueprints.items():
        told = sys.modules[blueprint.import_name].__doc__ or ""
        yield {"name": name, "description": told.strip()}


def _models(said: Operation) -> Iterator[type[BaseModel]]:
    yield from filter(None, (said.body, said.form, said.query))
    for bodies in said.answers.values():
        yield from (one for one in bodies if isinstance(one, type))


def _operation(rule: Rule, method: str, said: Operation, schemas: Json, references: References) -> Json:
    sent = request_body(said, references, schemas)
    asked = schemas[named(references[said.query])] if said.query else None
    # What a GET answers has a tag, whatever it is.
    tagged = method == "GET"
    return {
        "tags": [rule.endpoint.partition(".")[0]],
        "operationId": rule.endpoint.replace(".", "_"),
        "summary": said.summary,
        **({"description": said.description} if said.description else {}),
        "parameters": described_parameters(rule.rule, said, asked, tagged=tagged),
        **({"requestBody": sent} if sent else {}),
        "responses": answers(rule.rule, method, said, references, schemas),
        "security": security(rule.rule, is_open=said.is_open),
    }

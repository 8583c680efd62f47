"""What a route takes and answers, said beside its view: `@operation` under `@routes.<method>`.

The document at `/v1/openapi.json` is made of these. A test holds each to what its view does: the schemas are those that
the view passes to `api.body`, and the answers in the tests fit the models.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from api.answers.base import Answer, Media
from api.schemas.fields import Fields

View = TypeVar("View", bound=Callable[..., Any])
# One body of an answer; None: it has none.
Body = type[Answer] | Media | None
ATTRIBUTE = "operation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """What one route takes and answers."""

    # One line; the first sentence of the view's docstring when not given.
    summary: str
    # Markdown; the rest of the docstring, often nothing.
    description: str
    # By status; several bodies where a status has more than one.
    answers: Mapping[int, tuple[Body, ...]]
    # Of the JSON body, and whether it may be left out.
    body: type[Fields] | None
    body_optional: bool
    # Of a multipart form, beside which there is the part that carries the file.
    form: type[Fields] | None
    file: str | None
    # Of a body that is no JSON and no form.
    upload: Media | None
    query: type[Fields] | None
    # Statuses of refusals beside those that `api.openapi.refusals` adds by rule.
    errors: tuple[int, ...]
    # Whether it changes something; None: as its method says.
    changes: bool | None
    # Whether it honours the header Idempotency-Key.
    idempotent: bool
    # Whether it answers a caller without a key.
    is_open: bool
    # A body that is taken, as it is sent.
    example: Mapping[str, Any] | None


def operation(
    summary: str | None = None,
    *,
    answers: Mapping[int, Body | tuple[Body, ...]],
    body: type[Fields] | None = None,
    body_optional: bool = False,
    form: type[Fields] | None = None,
    file: str | None = None,
    upload: Media | None = None,
    query: type[Fields] | None = None,
    errors: tuple[int, ...] = (),
    changes: bool | None = None,
    idempotent: bool = False,
    is_open: bool = False,
    example: Mapping[str, Any] | None = None,
) -> Callable[[View], View]:
    """Describe a view.

    Args:
        summary: one line; the first sentence of the docstring when left out. The rest of the docstring is Markdown.
        answers: by status, the model of the JSON answer, `Media`, None for no body, or several of these.
        body: the schema that the view passes to `body` or `body_if_any`.
        body_optional: whether it is `body_if_any`.
        form: the schema of the fields of a multipart form.
        file: name of the form's part that carries the file.
        upload: what is sent when it is neither JSON nor a form.
        query: the schema that the view passes to `query`.
        errors: statuses of refusals beside those added by rule (400, 401, 403, 404 with an id, 409 of changes, 413 and
            415 of bodies, 429, 500, 503).
        changes: False for a POST that only reads.
        idempotent: whether it honours `Idempotency-Key`.
        is_open: whether it answers a caller without a key.
        example: a body that is taken; needed where the schema has a field that is required.

    Returns:
        A decorator that leaves the view as it is.
    """
    several = {status: one if isinstance(one, tuple) else (one,) for status, one in answers.items()}

    def describe(view: View) -> View:
        first, _, rest = inspect.cleandoc(view.__doc__ or "").partition("\n")
        described = Operation(
            summary=summary or first.rstrip("."), description=rest.strip(), answers=several, body=body,
            body_optional=body_optional, form=form, file=file, upload=upload, query=query, errors=errors,
            changes=changes, idempotent=idempotent, is_open=is_open, example=example,
        )  # fmt: skip
        setattr(view, ATTRIBUTE, described)
        return view

    return describe


def operation_of(view: Callable[..., Any]) -> Operation | None:
    """Return what was said of a view; None when nothing was."""
    return getattr(view, ATTRIBUTE, None)

"""What a name means wherever it stands; a model says more only where its own meaning is another."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pydantic.alias_generators import to_camel, to_snake

from api.openapi.words_answered import ANSWERED
from api.openapi.words_asked import ASKED

NAME = re.compile(r"`([a-z]+(?:_[a-z]+)+)`")
IN_PATHS: Mapping[str, str] = {
    "id": "Its id, or the id of your own that it was sent with.",
    "name": "Its name.",
    "generation_id": "Its number.",
}


def meaning(name: str, *, asked: bool) -> str | None:
    """Return what a field means, in either spelling.

    Args:
        name: of the field.
        asked: whether it stands in a request.

    Returns:
        Markdown; None when nobody has said it.
    """
    snake = name if name in ANSWERED or name in ASKED else to_snake(name)
    return (ASKED.get(snake) if asked else None) or ANSWERED.get(snake)


def camelled(text: str) -> str:
    """Return a text with the names in it, which stand in backticks, in camelCase."""
    return NAME.sub(lambda name: f"`{to_camel(name[1])}`", text)


def path_meaning(name: str) -> str:
    """Return what a part of an address means."""
    noun = name.removesuffix("_id").replace("_", " ")
    return IN_PATHS.get(name) or f"The id of the {noun}."

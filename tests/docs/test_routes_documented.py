"""Every route of the app has a section in docs/api.md, and every field of a body is named there."""

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest
from flask import Flask

from api.app import SUBJECTS
from api.schemas.fields import Fields

PAGE = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
SECTIONS = set(re.findall(r"^### `([A-Z]+) ([^`]+)`$", PAGE, re.MULTILINE))
SCHEMAS = (
    "documents",
    "erasures",
    "conversations",
    "search",
    "searching",
    "scoped_search",
    "context",
    "memories",
    "jobs",
    "nodes",
    "paging",
    "scope",
    "clocks",
    "provenance",
    "calibration",
    "conflicts",
    "profile",
    "generations",
)


def routes() -> set[tuple[str, str]]:
    app = Flask("routes", static_folder=None)
    for subject in SUBJECTS:
        app.register_blueprint(subject.routes)
    return {
        (method, as_written(rule.rule))
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }


def as_written(rule: str) -> str:
    """Return a rule as the page writes it; what may be an id or a customId is `{id}`."""
    return re.sub(r"<(?:\w+:)?(\w+)>", lambda part: f"{{{'id' if part[1] == 'ref' else part[1]}}}", rule)


@pytest.mark.parametrize(("method", "path"), sorted(routes()))
def test_route_has_a_section(method, path):
    assert (method, path) in SECTIONS, f"Add a section `### `{method} {path}`` to docs/api.md."


def test_no_section_is_about_a_route_that_does_not_exist():
    assert routes() >= SECTIONS


def fields() -> set[str]:
    modules = [import_module(f"api.schemas.{name}") for name in SCHEMAS]
    found = {one for module in modules for _, one in inspect.getmembers(module, inspect.isclass)}
    return {name for one in found if issubclass(one, Fields) for name in one.names()}


@pytest.mark.parametrize("name", sorted(fields()))
def test_field_is_named_in_the_page(name):
    camel = re.sub(r"_(\w)", lambda part: part[1].upper(), name)

    assert re.search(rf"\b({re.escape(name)}|{re.escape(camel)})\b", PAGE), f"Name the field `{name}` in docs/api.md."

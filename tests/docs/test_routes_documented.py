"""docs/reference/api.md has every route and is what the generator writes; docs/api.md has the rules and no routes."""

import inspect
import re
import runpy
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

import api.schemas
from api.openapi.bare import bare_app
from api.openapi.document import written
from api.schemas.fields import Fields

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "reference" / "api.md").read_text(encoding="utf-8")
RULES = (DOCS / "api.md").read_text(encoding="utf-8")
SECTIONS = re.findall(r"^### `([A-Z]+) ([^`]+)`$", PAGE, re.MULTILINE)


def routes() -> set[tuple[str, str]]:
    return {
        (method, written(rule.rule))
        for rule in bare_app().url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }


def test_page_is_what_the_generator_writes():
    generate = runpy.run_path(str(DOCS / "generate.py"))
    assert generate["routes_page"]() == PAGE, "Run `make fix` to write docs/reference/api.md again."


@pytest.mark.parametrize(("method", "path"), sorted(routes()))
def test_route_has_a_section(method, path):
    assert (method, path) in SECTIONS


def test_no_section_is_about_a_route_that_does_not_exist():
    assert routes() >= set(SECTIONS)
    assert len(SECTIONS) == len(set(SECTIONS))


def test_rules_are_not_about_single_routes():
    assert not re.findall(r"^#+ .*`(?:GET|POST|PATCH|PUT|DELETE) ", RULES, re.MULTILINE)


def fields() -> set[str]:
    modules = [import_module(f"api.schemas.{found.name}") for found in iter_modules(api.schemas.__path__)]
    found = {one for module in modules for _, one in inspect.getmembers(module, inspect.isclass)}
    # What begins with an underscore is only derived from.
    named = [one for one in found if issubclass(one, Fields) and not one.__name__.startswith("_")]
    return {name for one in named for name in one.names()}


@pytest.mark.parametrize("name", sorted(fields()))
def test_field_is_named_in_the_page(name):
    camel = re.sub(r"_(\w)", lambda part: part[1].upper(), name)

    assert re.search(rf"`({re.escape(name)}|{re.escape(camel)})`", PAGE)

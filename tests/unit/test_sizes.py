"""Modules stay short, and whatever is called from outside stays thin: parse, call one service, render."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = (
    "memory",
    "store",
    "inference",
    "nodeagent",
    "services",
    "api",
    "workers",
    "ops",
    "benchmarks",
    "client/memlane",
)
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
# Over this a module holds more than one idea.
MODULE_LINES = 400
# Over this a route, task or command does work that belongs into a service.
ENTRY_LINES = 10
# The names of decorators that make a function an entry point: Flask's, ours around Celery's, click's.
ENTRY_DECORATORS = {"route", "get", "post", "put", "patch", "delete", "task", "command", "group"}


def name_of(module: Path) -> str:
    return module.relative_to(ROOT).as_posix()


def decorator_name(node: ast.expr) -> str:
    called = node.func if isinstance(node, ast.Call) else node
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


def entry_points(tree: ast.AST):
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and ENTRY_DECORATORS & set(map(decorator_name, node.decorator_list)):
            yield node


def body_lines(function: ast.FunctionDef) -> int:
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_module_is_short(module):
    lines = len(module.read_text(encoding="utf-8").splitlines())
    assert lines <= MODULE_LINES, f"{name_of(module)} has {lines} lines; split it by idea (at most {MODULE_LINES})."


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_entry_points_are_thin(module):
    fat = {
        function.name: body_lines(function)
        for function in entry_points(ast.parse(module.read_text(encoding="utf-8")))
        if body_lines(function) > ENTRY_LINES
    }
    assert not fat, f"{name_of(module)}: move the work of {fat} into a service (at most {ENTRY_LINES} lines of body)."

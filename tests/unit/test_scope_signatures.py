"""Scope is the first argument of whatever acts for a caller, and none of it can be called without one."""

import ast
import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest

import services
import store
from memory.records import Scope

ROOT = Path(__file__).parents[2]
# What routes call that acts for nobody's data, and why.
WITHOUT_SCOPE = {
    "admin": "the control plane: who administers is the argument",
    "admin_views": "the control plane: turns records into JSON",
    "administering": "the control plane: who administers is the argument",
    "health": "the whole server; whose work is told is an argument",
    "key_changes": "the control plane: tenant and key are arguments",
    "keys": "finds out who is calling, and the control plane",
    "lanes": "the whole server; whose work is told is an argument",
    "members": "finds out who is calling, and the control plane",
    "nodes": "the machines, which serve every tenant",
    "persons": "about the actor alone",
    "request_ids": "about the request alone",
    "tenants": "the control plane",
    "zones": "names of time zones",
    "identifiers": "makes ids",
}
# Of other services: what asks the settings or the models of the server, and nobody's data.
ABOUT_THE_SERVER = {
    "services.container_tags.warning", "services.tenant_settings.warning", "services.uploads.source_of",
}  # fmt: skip
# Here no scope means every space of a tenant: judges are calibrated over all of them, and a limited key may not ask.
OVER_A_TENANT = {"store.labels"}


def functions(package):
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        module = importlib.import_module(found.name)
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ == module.__name__ and not name.startswith("_"):
                yield pytest.param(function, id=f"{module.__name__}.{name}")


def scopes_of(function):
    """The places of the parameters that are a scope, and those parameters."""
    parameters = [one for one in inspect.signature(function).parameters.values() if one.name != "self"]
    return [(place, one) for place, one in enumerate(parameters) if one.annotation in ("Scope", Scope)]


@pytest.mark.parametrize("function", [*functions(services), *functions(store)])
def test_a_scope_comes_first_and_has_no_default(function):
    for place, parameter in scopes_of(function):
        assert place == 0, f"{function.__module__}.{function.__name__}: the scope is the first argument."
        assert parameter.default is inspect.Parameter.empty
        assert parameter.kind is not inspect.Parameter.KEYWORD_ONLY


@pytest.mark.parametrize("function", [*functions(services), *functions(store)])
def test_no_function_takes_a_scope_that_may_be_missing(function):
    if function.__module__ in OVER_A_TENANT:
        return
    for parameter in inspect.signature(function).parameters.values():
        told = str(parameter.annotation).replace(" ", "")
        assert "Scope|None" not in told, f"{function.__module__}.{function.__name__}({parameter.name})"
        assert "Optional[Scope]" not in told


def reaches_data(function):
    """Whether a function is handed what it could look something up with."""
    return any(str(one.annotation) in ("Host", "Reader", "Writer", "Store")
               for one in inspect.signature(function).parameters.values())  # fmt: skip


def calls_of_services():
    """Every call of a function of `services` in the routes, with where it stands."""
    for path in sorted((ROOT / "api").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        named = {
            alias.asname or alias.name: f"services.{alias.name}"
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module == "services"
            for alias in node.names
        }
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id in named
            ):
                where = f"{path.relative_to(ROOT)}:{node.lineno}"
                yield named[node.func.value.id], node.func.attr, where


def test_whatever_a_route_asks_of_a_service_is_asked_for_a_scope():
    wrong, seen = [], 0
    for module, name, where in calls_of_services():
        function = getattr(importlib.import_module(module), name)
        short = module.rpartition(".")[2]
        if not where.startswith("api/routes/") or short in WITHOUT_SCOPE or f"{module}.{name}" in ABOUT_THE_SERVER:
            continue
        if not inspect.isfunction(function) or not reaches_data(function):
            continue
        seen += 1
        if not scopes_of(function):
            wrong.append(f"{where} {module}.{name}")

    assert seen > 30
    assert not wrong, wrong

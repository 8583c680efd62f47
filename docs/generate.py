"""Writes the pages of docs/ that repeat a table of the code: `make fix` runs it, a test compares."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import Field, fields
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent))

from api.openapi.bare import bare_app  # noqa: E402
from api.openapi.document import document  # noqa: E402
from api.openapi.reference import reference  # noqa: E402
from memory.settings import Settings, environment_name  # noqa: E402

HEAD = """# Settings

Written by `docs/generate.py` from `memory/settings.py`; change it there and run `make fix`.

Each setting is read once, when a process starts, from its environment variable. An option on the command line, such as
`memlane up --port`, wins over the environment. Secrets are never printed.

| variable | default | unit | what it does |
|---|---|---|---|
"""

MODULES_HEAD = """# Modules

Written by `docs/generate.py` from the first sentence of each module; change it there and run `make fix`.
[ARCHITECTURE.md](../../ARCHITECTURE.md) has what happens between them, and where a line belongs.
"""
# Of the product and what measures it, from the top of the layers to their bottom.
PACKAGES = (
    "ops", "api", "workers", "services", "store", "inference", "nodeagent", "memory", "native", "client", "benchmarks",
)  # fmt: skip

ROUTES_HEAD = """# Routes

Written by `docs/generate.py` from the routes, their schemas and `api/openapi/`; change it there and run `make fix`.
[api.md](../api.md) has the rules that hold for all of them.

"""


def _default(setting: Field[Any]) -> str:
    if setting.default == "":
        return "none"
    return f"`{setting.default}`"


def _row(setting: Field[Any]) -> str:
    secret = " Secret." if setting.metadata["secret"] else ""
    cells = (f"`{environment_name(setting.name)}`", _default(setting), setting.metadata["unit"])
    return f"| {' | '.join(cells)} | {setting.metadata['help']}{secret} |\n"


def settings_page() -> str:
    """Return the text of docs/settings.md: one row a setting, in the order of the table in the code."""
    return HEAD + "".join(map(_row, fields(Settings)))


def routes_page() -> str:
    """Return the text of docs/reference/api.md: every route, its fields and its answers."""
    return ROUTES_HEAD + reference(document(bare_app()))


def modules_page() -> str:
    """Return the text of docs/reference/modules.md: every module of every folder, with what it is for."""
    return MODULES_HEAD + "".join(text for name in PACKAGES for text in _folders(DOCS.parent / name))


def _folders(package: Path) -> Iterator[str]:
    for folder in sorted({path.parent for path in package.rglob("*.py")}):
        modules = [path for path in sorted(folder.glob("*.py")) if path.name != "__init__.py"]
        if modules:
            rows = "".join(f"| `{path.name}` | {_purpose(path)} |\n" for path in modules)
            said = _purpose(folder / "__init__.py")
            yield f"\n## `{folder.relative_to(DOCS.parent)}/`\n"
            yield f"\n{said}\n" if said else ""
            yield f"\n| module | what it is for |\n|---|---|\n{rows}"


def _purpose(module: Path) -> str:
    """Return the first line of a module's docstring; nothing when there is no such file, as in a folder of scripts."""
    if not module.exists():
        return ""
    said = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
    return said.partition("\n")[0].replace("|", "\\|")


if __name__ == "__main__":
    (DOCS / "settings.md").write_text(settings_page(), encoding="utf-8")
    (DOCS / "reference" / "modules.md").write_text(modules_page(), encoding="utf-8")
    (DOCS / "reference" / "api.md").write_text(routes_page(), encoding="utf-8")

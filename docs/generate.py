"""Writes the pages of docs/ that repeat a table of the code: `make fix` runs it, a test compares."""

from __future__ import annotations

import sys
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


if __name__ == "__main__":
    (DOCS / "settings.md").write_text(settings_page(), encoding="utf-8")
    (DOCS / "reference" / "api.md").write_text(routes_page(), encoding="utf-8")

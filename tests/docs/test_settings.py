"""docs/settings.md is written from the table in memory/settings.py and tells all of it."""

import runpy
from dataclasses import fields
from pathlib import Path

import pytest

from memory.settings import Settings, environment_name

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("setting", fields(Settings), ids=lambda setting: setting.name)
def test_setting_is_documented(setting):
    assert f"`{environment_name(setting.name)}`" in PAGE
    assert setting.metadata["help"] in PAGE


def test_page_is_what_the_generator_writes():
    generate = runpy.run_path(str(ROOT / "docs" / "generate.py"))
    assert generate["settings_page"]() == PAGE, "Run `make fix` to write docs/settings.md again."

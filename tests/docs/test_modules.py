"""docs/reference/modules.md names every module with what it is for, and ARCHITECTURE.md every part."""

import re
import runpy
from pathlib import Path

import pytest

from tests.docs.test_pages import tracked

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "modules.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
NO_PRODUCT = {"tests", "docs"}
MODULES = [path.relative_to(ROOT) for path in tracked() if path.suffix == ".py" and path.name != "__init__.py"]
MODULES = [path for path in MODULES if path.parts[0] not in NO_PRODUCT and len(path.parts) > 1]


def told() -> dict[str, str]:
    """Return what the page says of each module, by its path."""
    found, folder = {}, ""
    for line in PAGE.splitlines():
        if heading := re.fullmatch(r"## `(.+/)`", line):
            folder = heading[1]
        if row := re.fullmatch(r"\| `(\w+\.py)` \| (.*) \|", line):
            found[folder + row[1]] = row[2]
    return found


def test_page_is_what_the_generator_writes():
    generate = runpy.run_path(str(ROOT / "docs" / "generate.py"))
    assert generate["modules_page"]() == PAGE, "Run `make fix` to write docs/reference/modules.md again."


def test_every_module_is_in_it_and_says_what_it_is_for():
    assert len(MODULES) > 400
    said = told()
    assert [str(path) for path in MODULES if str(path) not in said] == []
    assert [path for path, purpose in said.items() if not purpose] == []


@pytest.mark.parametrize("part", sorted({path.parts[0] for path in MODULES}))
def test_architecture_says_what_belongs_into_a_part(part):
    assert f"`{part}/`" in ARCHITECTURE


def test_architecture_names_only_modules_that_there_are():
    named = set(re.findall(r"`([a-z]+/[\w/]+\.py)`", ARCHITECTURE))
    assert len(named) > 10
    assert [name for name in sorted(named) if not (ROOT / name).is_file()] == []

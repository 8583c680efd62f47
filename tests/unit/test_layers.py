"""What import-linter cannot say: `memory/` may import these and nothing else, and calls no clock."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PURE_MODULES = sorted((ROOT / "memory").rglob("*.py"))
# The text libraries are pure functions; memory/README.md is the law.
ALLOWED = {"memory", "numpy", "pydantic", "regex"}
IMPURE = {
    "asyncio", "concurrent", "ctypes", "ftplib", "getpass", "glob", "http", "io", "locale", "logging", "mmap",
    "multiprocessing", "os", "pathlib", "pickle", "queue", "random", "secrets", "select", "shelve", "shutil",
    "signal", "smtplib", "socket", "socketserver", "sqlite3", "ssl", "subprocess", "sys", "tempfile", "threading",
    "time", "urllib", "uuid",
}  # fmt: skip
CLOCKS = {"now", "utcnow", "today"}


def imported(tree: ast.AST) -> set[str]:
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "memory" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    # Takes addresses apart; its siblings open them.
    return {name.partition(".")[0] for name in names - {"urllib.parse"}}


@pytest.mark.parametrize("path", PURE_MODULES, ids=lambda path: path.stem)
def test_memory_imports_only_what_its_law_allows(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))

    outside = imported(tree) - ALLOWED - (sys.stdlib_module_names - IMPURE)
    clocks = {
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CLOCKS
    }

    assert not outside, f"{path.name} imports {sorted(outside)}; see memory/README.md."
    assert not clocks, f"{path.name} reads a clock in lines {sorted(clocks)}; take the time as an argument."

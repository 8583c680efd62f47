"""Runs every benchmark, or those that are named, and keeps the figures in benchmarks/results, by commit.

`make bench` calls this, and `make bench-fleet` with the name of one. What misses a goal counts
as failed, unless it is called with `--report-only`.

Then come the tests that `make test` runs in a short form, in their long one.

The conversation benchmark needs a data file that is not part of the project: `make bench LOCOMO=FILE`. The search core
is measured against what is installed, and against the packages of another environment: `make bench RIVALS=FOLDER`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

REPORT_ONLY = "--report-only"
ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"
# Divided by MEMLANE_TEST_FACTOR in `make test`: minutes under load, thousands of rows.
LONG_TESTS = ("tests/acceptance/test_store_under_locks.py", "tests/acceptance/test_search.py")


def commit() -> str:
    """Return the short name of the commit that is checked out, or "none"."""
    found = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False, cwd=ROOT
    )
    return found.stdout.strip() or "none"


def long_tests_pass() -> bool:
    """Run the tests that `make test` shortens in their long form."""
    print("\n== long tests", flush=True)
    told = {**os.environ, "MEMLANE_TEST_FACTOR": "1"}
    return (
        subprocess.run([sys.executable, "-m", "pytest", *LONG_TESTS], cwd=ROOT, env=told, check=False).returncode == 0
    )


def main() -> int:
    """Run them one after the other, because each wants the machine for itself.

    Returns:
        0, or 1 when one of them failed.
    """
    named = [one for one in sys.argv[1:] if one != REPORT_ONLY]
    always = [REPORT_ONLY] if REPORT_ONLY in sys.argv[1:] else []
    wanted: dict[str, list[str]] = {
        "model_server": [],
        "facts": [],
        "facts_kinds": [],
        "facts_extraction": [],
        "languages": ["--times"],
        "search": ["--with", rivals] if (rivals := os.environ.get("RIVALS")) else [],
        "search_http": [],
        "fuzz": [],
        "http_load": [],
        "ingest": [],
        "reconcile": [],
        "fleet": ["--namespaces"],
    }
    if data := os.environ.get("LOCOMO"):
        wanted["locomo"] = ["--data", data]
    wanted = {name: more for name, more in wanted.items() if name in (named or wanted)}
    RESULTS.mkdir(exist_ok=True)
    failed = []
    for name, arguments in wanted.items():
        print(f"\n== {name}", flush=True)
        kept = RESULTS / f"{name}-{commit()}.json"
        command = [sys.executable, "-m", f"benchmarks.{name}", *arguments, *always, "--json", str(kept)]
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            failed.append(name)
    if not named and not long_tests_pass():
        failed.append("long tests")
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    raise SystemExit(main())

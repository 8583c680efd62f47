"""`python -m tests.faults --seed N --minutes M`: the fault test for as long as one likes."""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
from pathlib import Path

from tests.faults.run import run


def main() -> int:
    """Run and report; 1 when something is not as promised."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--keep", action="store_true", help="leave the stack's folder with its logs")
    given = parser.parse_args()
    _say(f"seed {given.seed}, {given.minutes:g} minutes, load {os.getloadavg()[0]:.1f}")
    folder = Path(tempfile.mkdtemp(prefix="memlane-faults-"))
    outcome = run(given.seed, given.minutes * 60, folder, echo=True)
    _say(outcome.summary)
    for problem in outcome.problems:
        _say(f"WRONG: {problem}")
    if given.keep or outcome.problems:
        _say(f"logs and store: {folder}")
    else:
        shutil.rmtree(folder)
    _say(f"seed {given.seed}: {'FAILED' if outcome.problems else 'all as promised'}")
    return int(bool(outcome.problems))


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())

"""Who may look at Flower: one user, whose password is made once. The supervisor needs no more of Flower than this."""

from __future__ import annotations

import importlib.util
import logging
import os
import secrets
from pathlib import Path

from ops.part import CannotStart

log = logging.getLogger(__name__)

USER = "memlane"


def installed() -> bool:
    """Tell whether the package is there; it is an extra."""
    return importlib.util.find_spec("flower") is not None


def password(folder: Path) -> str:
    """Return the password of the user `memlane`; made once and kept in a file that only this user reads.

    Args:
        folder: the data folder.

    Returns:
        What `run/flower.password` holds.

    Raises:
        CannotStart: the file cannot be read or made, or is empty.
    """
    file = folder / "run" / "flower.password"
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # O_EXCL: an existing file, or a link that somebody put there, is never written through.
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as new:
            new.write(f"{secrets.token_urlsafe(24)}\n")
    except FileExistsError:
        log.debug("the password is that of %s", file)
    except OSError as error:
        raise CannotStart(f"{file} cannot be made: {error.strerror}.") from error
    kept = file.read_text(encoding="utf-8").strip()
    if not kept:
        raise CannotStart(f"{file} is empty; delete it, and the next start makes a new one.")
    return kept

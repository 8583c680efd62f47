"""Remembers on this machine which ids a forget preview showed, so that `--yes` forgets these and no later match.

Only ids are kept, under a hash of the address, key, space and phrase; each for an hour and for one use.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memlane.errors import MemlaneError

# A person decides within minutes; a script of tomorrow has not seen today's preview.
KEPT_SECONDS = 3600.0


class PreviewsUnusable(MemlaneError, OSError):
    """The previews kept on this machine cannot be used; forget by the ids of the preview instead."""


def state_file(environ: Mapping[str, str]) -> Path:
    """Return where previews are kept: the user's state folder."""
    folder = environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return Path(folder) / "memlane" / "previews.json"


def fingerprint(**what: Any) -> str:
    """Return a hash that is the same for the same question to the same server and space."""
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


class Previews:
    """The file of previews."""

    def __init__(self, path: Path, *, now: float) -> None:
        """Open nothing yet.

        Args:
            path: of the file; its folder is made when needed.
            now: seconds since the epoch.
        """
        self._path = path
        self._now = now

    def keep(self, key: str, ids: Sequence[str]) -> None:
        """Keep the ids of a preview.

        Raises:
            PreviewsUnusable: the file cannot be written.
        """
        self._write({**self._fresh(), key: {"at": self._now, "ids": list(ids)}})

    def take(self, key: str) -> list[str] | None:
        """Return the ids of a preview and drop it; None when none is fresh.

        Raises:
            PreviewsUnusable: the file cannot be read or written; nothing is known of what was shown.
        """
        kept = self._fresh()
        entry = kept.pop(key, None)
        if entry is None:
            return None
        self._write(kept)
        return [str(memory_id) for memory_id in entry["ids"]]

    def _fresh(self) -> dict[str, Any]:
        try:
            kept = json.loads(self._path.read_text("utf-8"))
            return {key: entry for key, entry in kept.items() if 0 <= self._now - entry["at"] < KEPT_SECONDS}
        except FileNotFoundError:
            return {}
        except (ValueError, KeyError, TypeError, AttributeError):
            # A damaged file holds no preview that anybody can rely on; the next one replaces it.
            return {}
        except OSError as error:
            raise self._unusable(error) from error

    def _write(self, kept: Mapping[str, Any]) -> None:
        fresh = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            fresh.write_text(json.dumps(kept), "utf-8")
            fresh.replace(self._path)
        except OSError as error:
            raise self._unusable(error) from error

    def _unusable(self, error: OSError) -> PreviewsUnusable:
        hint = "Run `memlane forget` without --yes and use the command it prints."
        sentence = f"The previews in {self._path} cannot be used: {error.strerror}."
        return PreviewsUnusable(sentence, code="previews_unusable", details={"hint": hint})

"""Reads a process's settings from its environment, and its secrets from the files that it names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memory.secret_files import with_secrets
from memory.settings import Settings, from_environ


def read_settings(environ: Mapping[str, str], **overrides: Any) -> Settings:
    """Read the settings of this process.

    Args:
        environ: the process environment; a secret `X` may be given as `X_FILE`, the path of a file that holds it.
        **overrides: values that win over the environment.

    Returns:
        The settings.

    Raises:
        InvalidInput: a value cannot be read as its type, or a named file cannot be read or is empty.
    """
    return from_environ(with_secrets(environ, lambda path: Path(path).read_text(encoding="utf-8")), **overrides)

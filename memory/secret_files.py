"""Secrets that stand in files, which neither a process list nor the description of a container shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memory.errors import InvalidInput
from memory.settings import secret_variables


def with_secrets(environ: Mapping[str, str], read: Callable[[str], str]) -> Mapping[str, str]:
    """Add the secrets that an environment names files for: `X_FILE` names the file of the secret `X`.

    Args:
        environ: of the process; a variable that is set itself wins over its file.
        read: returns the text of a file; raises OSError or UnicodeDecodeError.

    Returns:
        The environment with the secrets, white space around them cut off.

    Raises:
        InvalidInput: a named file cannot be read or is empty.
    """
    files = {name: environ.get(f"{name}_FILE", "") for name in secret_variables() if not environ.get(name)}
    return {**environ, **{name: _secret(name, path, read) for name, path in files.items() if path}}


def _secret(name: str, path: str, read: Callable[[str], str]) -> str:
    variable = f"{name}_FILE"
    try:
        text = read(path).strip()
    except (OSError, UnicodeDecodeError) as error:
        # The reason only: a file that is not text must not be quoted.
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise InvalidInput(f"{variable} names {path}, which cannot be read: {reason}.", field=variable) from error
    if not text:
        raise InvalidInput(f"{variable} names {path}, which is empty.", field=variable)
    return text

"""The setting `secrets` and what somebody writes directly: a memory's text and metadata, the text of a resolution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory.errors import SecretRefused
from memory.secrets import scan, without_secrets
from services.host import Host


def text(host: Host, written: str, *, field: str) -> str:
    """Apply the setting to a text.

    Args:
        host: whose setting.
        written: by a person or an agent.
        field: of the request, for the refusal.

    Returns:
        What is kept: without its secrets, unless they are allowed. The answer shows it.

    Raises:
        SecretRefused: it holds one, and the setting refuses them.
    """
    if host.settings.secrets == "allow":
        return written
    if host.settings.secrets == "refuse" and scan(written):
        raise SecretRefused(field=field)
    return without_secrets(written)


def metadata(host: Host, written: Mapping[str, Any], *, field: str = "metadata") -> dict[str, Any]:
    """Apply the setting to metadata: each text is looked at with its name in front, as in `password: ...`.

    Raises:
        SecretRefused: one holds a secret, and the setting refuses them.
    """
    return {name: _value(host, name, value, field) for name, value in written.items()}


def _value(host: Host, name: str, value: Any, field: str) -> Any:
    if isinstance(value, list):
        return [_value(host, name, one, field) for one in value]
    if not isinstance(value, str):
        return value
    named = f"{name}: "
    kept = text(host, named + value, field=field)
    return kept[len(named) :] if kept.startswith(named) else text(host, value, field=field)

"""What a handler returns: a JSON object, or a body with a status."""

from __future__ import annotations

from typing import Any, TypeAlias

Reply: TypeAlias = dict[str, Any] | tuple[dict[str, Any] | str, int]

"""What the settings of a tenant may be, whichever way they come: by a request or in an export."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from memory.values import LONGEST_CONTEXT, LONGEST_LINE

# Shorter chunks say too little to be found by; longer ones are cut by what a model reads of them.
SMALLEST_CHUNK, LARGEST_CHUNK = 200, 2_000
MOST_ITEMS = 100
# Each new memory is compared with every bucket of its space.
MOST_BUCKETS = 20
BUCKET_KEY = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"


def is_bucket_key(value: Any) -> bool:
    """Tell whether a bucket can be called so."""
    return isinstance(value, str) and re.fullmatch(BUCKET_KEY, value) is not None


def is_filled(value: Any, longest: int) -> bool:
    """Tell whether a value is a text that is not blank and not too long."""
    return isinstance(value, str) and len(value) <= longest and bool(value.strip())


def _is_items(value: Any) -> bool:
    return isinstance(value, list) and len(value) <= MOST_ITEMS and all(is_filled(one, LONGEST_LINE) for one in value)


def _is_chunk_size(value: Any) -> bool:
    return type(value) is int and SMALLEST_CHUNK <= value <= LARGEST_CHUNK


def _is_buckets(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and len(value) <= MOST_BUCKETS
        and all(is_bucket_key(key) and is_filled(one, LONGEST_LINE) for key, one in value.items())
    )


_FITS: Mapping[str, Callable[[Any], bool]] = {
    "should_llm_filter": lambda value: isinstance(value, bool),
    "filter_prompt": lambda value: is_filled(value, LONGEST_CONTEXT),
    "include_items": _is_items,
    "exclude_items": _is_items,
    "chunk_size": _is_chunk_size,
    "profile_buckets": _is_buckets,
}
NAMES = frozenset(_FITS)


def fits(name: str, value: Any) -> bool:
    """Tell whether a setting can have a value.

    Args:
        name: one of `NAMES`.
        value: as JSON.
    """
    return _FITS[name](value)

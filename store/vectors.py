"""The door that every stored vector comes through: what cannot be compared is refused."""

from __future__ import annotations

import numpy as np

from memory.errors import InvalidInput
from store.connection import Reader


def wrong(data: bytes, dimension: int) -> str | None:
    """Return why bytes are no vector that can be compared; None when they are one.

    Args:
        data: little-endian float32.
        dimension: how many numbers it is to have.
    """
    if len(data) != 4 * dimension:
        return f"A vector of {len(data)} bytes is not one of {dimension} numbers."
    values = np.frombuffer(data, dtype="<f4")
    if not np.isfinite(values).all():
        return "A vector holds a value that is not a number."
    if not values.any():
        return "A vector of zeros is like nothing; its model was started for another task."
    return None


def strange(data: bytes, dimension: int) -> str | None:
    """Return why bytes are no vector of any of our models, all of which have a length of 1; None when they may be."""
    reason = wrong(data, dimension)
    if reason is None and not 0.99 < float(np.linalg.norm(np.frombuffer(data, dtype="<f4").astype(np.float64))) < 1.01:
        return "Its length is not 1."
    return reason


def sound(db: Reader, generation_id: int, data: bytes) -> bytes:
    """Return a vector that is about to be stored. Trust boundary: one bad number would be in every answer.

    Args:
        db: the transaction that stores it.
        generation_id: whose vector it is.
        data: little-endian float32.

    Raises:
        InvalidInput: it is not of the generation's length, holds a number that is not finite, or only zeros.
    """
    (dimension,) = db.execute("SELECT dimension FROM generation WHERE id = ?", (generation_id,)).fetchone() or (0,)
    reason = wrong(data, dimension)
    if reason is not None:
        raise InvalidInput(reason, field="vector", generation=generation_id)
    return data

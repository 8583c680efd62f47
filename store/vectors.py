"""The door that every stored vector comes through: what cannot be compared is refused."""

from __future__ import annotations

import numpy as np

from memory.errors import InvalidInput
from store.connection import Reader


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
    if len(data) != 4 * dimension:
        message = f"A vector of {len(data)} bytes is not one of {dimension} numbers, as generation {generation_id} has."
        raise InvalidInput(message, field="vector")
    values = np.frombuffer(data, dtype="<f4")
    if not np.isfinite(values).all():
        raise InvalidInput("A vector holds a value that is not a number.", field="vector")
    if not values.any():
        raise InvalidInput("A vector of zeros is like nothing; its model was started for another task.", field="vector")
    return data

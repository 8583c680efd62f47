"""Many short texts as one array of bytes, compared without making a string of any."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Longs = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]

_ASCII = 128
# From a small letter to its capital.
_TO_CAPITAL = ord("A") - ord("a")
_LOWERED = np.arange(256, dtype=np.uint8)
_LOWERED[ord("A") : ord("Z") + 1] = np.arange(ord("a"), ord("z") + 1)


@dataclass(frozen=True, eq=False)
class Texts:
    """Texts in UTF-8, each where the one before it ends."""

    starts: Longs  # (n + 1,), where each begins in `data`; the last is where the last text ends
    data: Bytes

    def __len__(self) -> int:
        return len(self.starts) - 1

    @classmethod
    def of(cls, texts: Iterable[str]) -> Texts:
        """Put texts behind each other; half a surrogate pair is kept as it is."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        data = np.frombuffer(b"".join(encoded), dtype=np.uint8)
        return cls(starts_of(np.array([len(one) for one in encoded], dtype=np.int64)), data)

    def take(self, numbers: Longs) -> Texts:
        """Return the texts of these numbers, in that order."""
        lengths = np.diff(self.starts)[numbers]
        return Texts(starts_of(lengths), self.data[spans(self.starts[numbers], lengths)])

    def then(self, other: Texts) -> Texts:
        """Return these and the others behind them; both begin at 0."""
        starts = np.concatenate((self.starts, other.starts[1:] + self.starts[-1]))
        return Texts(starts, np.concatenate((self.data, other.data)))

    @cached_property
    def casefolded(self) -> Texts | None:
        """Each text casefolded, made when it is first asked for and kept; None where all are ASCII.

        Only texts with other characters are read by themselves: of 100,000 that takes 0.3 s, and a filter can ask 200
        times.
        """
        first, end = self.starts[0], self.starts[-1]
        others = np.flatnonzero(self.data[first:end] >= _ASCII) + first
        if not len(others):
            return None
        numbers = np.unique(np.searchsorted(self.starts, others, side="right") - 1)
        lowered = Texts(self.starts - first, _LOWERED[self.data[first:end]])
        raw, bounds = self.data[first:end].tobytes(), lowered.starts.tolist()
        folded = Texts.of(
            raw[bounds[number] : bounds[number + 1]].decode("utf-8", "surrogatepass").casefold()
            for number in numbers.tolist()
        )
        taken = np.arange(len(self))
        taken[numbers] = len(self) + np.arange(len(numbers))
        return lowered.then(folded).take(taken)

    @property
    def folded_bytes(self) -> int:
        """Bytes that the casefolded texts take, 0 while none are kept."""
        folded: Texts | None = self.__dict__.get("casefolded")
        return 0 if folded is None else folded.starts.nbytes + folded.data.nbytes


def starts_of(lengths: Longs) -> Longs:
    """Return where each of some consecutive ranges begins, and where the last ends; int64 (n + 1,)."""
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))


def spans(starts: Longs, lengths: Longs) -> Longs:
    """Return the members of some ranges of numbers, one range after the other."""
    behind = starts_of(lengths)
    return np.repeat(starts - behind[:-1], lengths) + np.arange(behind[-1])


def equal(texts: Texts, wanted: str, *, ignore_case: bool) -> Longs:
    """Return which of the texts are the wanted one, ascending."""
    texts, needle, folding = _folding(texts, wanted, ignore_case)
    candidates = np.flatnonzero(np.diff(texts.starts) == len(needle))
    return np.asarray(candidates[_where(texts.data, texts.starts[candidates], needle, folding)])


def containing(texts: Texts, wanted: str, *, ignore_case: bool) -> Longs:
    """Return which of the texts contain the wanted one, ascending."""
    texts, needle, folding = _folding(texts, wanted, ignore_case)
    if not needle:
        return np.arange(len(texts))
    first, end = texts.starts[0], texts.starts[-1]
    places = first + np.flatnonzero(_is(texts.data[first + len(needle) - 1 : end], needle[-1], folding))
    places = places[_where(texts.data, places, needle, folding)]
    if not len(places):
        return np.empty(0, dtype=np.int64)
    # The first place in each text, if any: when that one reaches beyond the text, so do those after it.
    near = places[np.minimum(np.searchsorted(places, texts.starts[:-1]), len(places) - 1)]
    return np.flatnonzero((near >= texts.starts[:-1]) & (near + len(needle) <= texts.starts[1:]))


def _folding(texts: Texts, wanted: str, ignore_case: bool) -> tuple[Texts, bytes, bool]:
    """Return texts and a needle that can be compared by their bytes, and whether capitals are still small letters."""
    if not ignore_case:
        return texts, wanted.encode("utf-8", "surrogatepass"), False
    needle = wanted.casefold().encode("utf-8", "surrogatepass")
    folded = texts.casefolded
    return (texts, needle, True) if folded is None else (folded, needle, False)


def _where(data: Bytes, places: Longs, needle: bytes, folding: bool) -> Longs:
    """Return at which of the places the needle stands; ends of texts differ more often than their beginnings."""
    left = np.arange(len(places))
    for offset in range(len(needle) - 1, -1, -1):
        left = left[_is(data[places[left] + offset], needle[offset], folding)]
    return left


def _is(data: Bytes, byte: int, folding: bool) -> Mask:
    same: Mask = data == byte
    if folding and ord("a") <= byte <= ord("z"):
        same |= data == byte + _TO_CAPITAL
    return same

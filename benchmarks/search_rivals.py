"""What the search core is measured against: each holds the same vectors and answers the same questions.

None of them is needed to run Memlane: those that are not installed are named as missing. `--with` of
`benchmarks.search` takes the packages of another environment.
"""

from __future__ import annotations

import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from store import native
from store.vector_scan import Scanning, VectorScan

Floats = npt.NDArray[np.float32]
Slots = npt.NDArray[np.int64]
# What a question is filtered by: rows whose number leaves this rest.
Filter = tuple[str, int]

# Columns that filters ask: "tenth" is 0..9 and "hundredth" 0..99, both at random.
COLUMNS: Mapping[str, int] = {"tenth": 10, "hundredth": 100}


def columns(count: int) -> dict[str, npt.NDArray[np.int64]]:
    """Return the columns that filters ask, the same in every run."""
    rng = np.random.default_rng(count)
    return {name: rng.integers(0, size, count) for name, size in COLUMNS.items()}


class Rival(ABC):
    """One way to search vectors."""

    def __init__(self, dimension: int) -> None:
        """Start empty."""
        self.dimension = dimension
        self.columns: dict[str, npt.NDArray[np.int64]] = {}

    @abstractmethod
    def add(self, vectors: Floats, columns: dict[str, npt.NDArray[np.int64]]) -> None:
        """Take rows in; their numbers go on from those before."""

    @abstractmethod
    def search(self, query: Floats, k: int, only: Filter | None) -> Slots:
        """Return the numbers of the nearest rows, of those that a filter leaves."""

    def _take_columns(self, columns: dict[str, npt.NDArray[np.int64]]) -> None:
        for name, values in columns.items():
            self.columns[name] = np.concatenate((self.columns.get(name, values[:0]), values))

    def mask(self, only: Filter | None) -> npt.NDArray[np.bool_]:
        """Return the rows that a filter leaves; working it out is part of the search."""
        if only is None:
            return np.ones(len(self.columns["tenth"]), dtype=np.bool_)
        return np.asarray(self.columns[only[0]] == only[1])


class Ours(Rival):
    """The search core of Memlane."""

    def __init__(self, dimension: int, scanning: Scanning) -> None:
        """Start empty."""
        super().__init__(dimension)
        self._scan = VectorScan(dimension, scanning)

    def add(self, vectors: Floats, columns: dict[str, npt.NDArray[np.int64]]) -> None:
        """Take rows in."""
        self._take_columns(columns)
        self._scan.append(vectors)

    def search(self, query: Floats, k: int, only: Filter | None) -> Slots:
        """Return the nearest rows."""
        return self._scan.view().nearest(query, self.mask(only), k)[0]


class Rescored(Rival):
    """A library that compares codes; what it favours is compared in full here."""

    def __init__(self, dimension: int) -> None:
        """Start empty."""
        super().__init__(dimension)
        self._scan = VectorScan(dimension, Scanning(exact_rows=2**62, kernel=None))

    def add(self, vectors: Floats, columns: dict[str, npt.NDArray[np.int64]]) -> None:
        """Take rows in."""
        self._take_columns(columns)
        self._scan.append(vectors)
        self.add_codes(vectors)

    def search(self, query: Floats, k: int, only: Filter | None) -> Slots:
        """Return the nearest of the candidates."""
        slots = self.candidates(query, self.mask(only))
        cosines = self._scan.view().cosines(query, slots)
        return slots[np.argsort(-cosines)[:k]]

    @abstractmethod
    def add_codes(self, vectors: Floats) -> None:
        """Take rows in."""

    @abstractmethod
    def candidates(self, query: Floats, mask: npt.NDArray[np.bool_]) -> Slots:
        """Return the rows worth comparing in full."""


class FaissBinary(Rescored):
    """faiss: Hamming distance of one-bit codes, 2,000 candidates."""

    def __init__(self, dimension: int) -> None:
        """Start empty."""
        import faiss

        super().__init__(dimension)
        faiss.omp_set_num_threads(1)
        self._faiss, self._index = faiss, faiss.IndexBinaryFlat(dimension)

    def add_codes(self, vectors: Floats) -> None:
        """Take rows in."""
        self._index.add(np.packbits(vectors > 0, axis=1))

    def candidates(self, query: Floats, mask: npt.NDArray[np.bool_]) -> Slots:
        """Return those of the least distance; a filter comes after, for these codes the library has none."""
        code = np.packbits(query > 0)[None, :]
        _, slots = self._index.search(code, min(2_000, len(mask)))
        kept: Slots = slots[0][mask[slots[0]]]
        return kept


class SimsimdHamming(Rescored):
    """simsimd: Hamming distance of one-bit codes, 2,000 candidates."""

    def __init__(self, dimension: int) -> None:
        """Start empty."""
        import simsimd

        super().__init__(dimension)
        self._simsimd = simsimd
        self._parts = [np.empty((0, dimension // 8), dtype=np.uint8)]

    def add_codes(self, vectors: Floats) -> None:
        """Take rows in."""
        self._parts.append(np.packbits(vectors > 0, axis=1))

    def candidates(self, query: Floats, mask: npt.NDArray[np.bool_]) -> Slots:
        """Return those of the least distance among what a filter leaves."""
        if len(self._parts) > 1:
            self._parts = [np.concatenate(self._parts)]
        slots = np.flatnonzero(mask)
        codes = self._parts[0] if mask.all() else self._parts[0][slots]
        code = np.packbits(query > 0)[None, :]
        far = np.asarray(self._simsimd.cdist(code, codes, metric="hamming", dtype="bin8"))[0]
        if len(far) <= 2_000:
            return slots
        return slots[np.argpartition(far, 2_000)[:2_000]]


class Turbovec(Rescored):
    """turbovec: two bits for each number, 200 candidates."""

    def __init__(self, dimension: int) -> None:
        """Start empty."""
        import turbovec

        super().__init__(dimension)
        self._index = turbovec.TurboQuantIndex(dimension, 2)

    def add_codes(self, vectors: Floats) -> None:
        """Take rows in."""
        self._index.add(vectors)

    def candidates(self, query: Floats, mask: npt.NDArray[np.bool_]) -> Slots:
        """Return those that it favours."""
        _, slots = self._index.search(query[None, :], min(200, int(mask.sum())), mask=mask)
        return np.asarray(slots[0], dtype=np.int64)


class FaissHnsw(Rival):
    """faiss: a graph of neighbours with full vectors."""

    def __init__(self, dimension: int) -> None:
        """Start empty."""
        import faiss

        super().__init__(dimension)
        faiss.omp_set_num_threads(1)
        self._faiss, self._index = faiss, faiss.IndexHNSWFlat(dimension, 32, faiss.METRIC_INNER_PRODUCT)

    def add(self, vectors: Floats, columns: dict[str, npt.NDArray[np.int64]]) -> None:
        """Take rows in."""
        self._take_columns(columns)
        self._index.add(vectors)

    def search(self, query: Floats, k: int, only: Filter | None) -> Slots:
        """Return what the walk meets."""
        chosen = self._faiss.IDSelectorBitmap(np.packbits(self.mask(only), bitorder="little")) if only else None
        given = self._faiss.SearchParametersHNSW(efSearch=200, sel=chosen)
        _, slots = self._index.search(query[None, :], k, params=given)
        return np.asarray(slots[0][slots[0] >= 0], dtype=np.int64)


class Chroma(Rival):
    """chromadb as it comes, in this process, on disk."""

    # How many rows its graph search keeps in view; None: as it comes, which finds fewer of the nearest than are asked.
    search_ef: int | None = None

    def __init__(self, dimension: int) -> None:
        """Start empty."""
        import chromadb

        super().__init__(dimension)
        self._folder = tempfile.TemporaryDirectory()
        settings = chromadb.Settings(anonymized_telemetry=False)
        client = chromadb.PersistentClient(self._folder.name, settings=settings)
        wider = {} if self.search_ef is None else {"hnsw:search_ef": self.search_ef}
        self._rows = client.create_collection("rows", metadata={"hnsw:space": "cosine", **wider})
        self._count = 0

    def add(self, vectors: Floats, columns: dict[str, npt.NDArray[np.int64]]) -> None:
        """Take rows in, 5,000 at a time, which is about the most it allows."""
        for first in range(0, len(vectors), 5_000):
            part = vectors[first : first + 5_000]
            described = [
                {name: int(values[first + place]) for name, values in columns.items()} for place in range(len(part))
            ]
            ids = [str(self._count + place) for place in range(len(part))]
            self._rows.add(ids=ids, embeddings=part, metadatas=described)
            self._count += len(part)

    def search(self, query: Floats, k: int, only: Filter | None) -> Slots:
        """Return what it finds."""
        where: Any = {only[0]: only[1]} if only else None
        found = self._rows.query(query_embeddings=[query], n_results=k, where=where, include=[])
        return np.array([int(one) for one in found["ids"][0]], dtype=np.int64)


class WiderChroma(Chroma):
    """chromadb as it has to be set for the recall that is wanted of all."""

    search_ef = 400


class Lance(Rival):
    """lancedb as it comes, without an index: it has all rows compared."""

    def __init__(self, dimension: int) -> None:
        """Start empty."""
        import lancedb

        super().__init__(dimension)
        self._folder = tempfile.TemporaryDirectory()
        self._db, self._table, self._count = lancedb.connect(self._folder.name), None, 0

    def add(self, vectors: Floats, columns: dict[str, npt.NDArray[np.int64]]) -> None:
        """Take rows in."""
        import pyarrow

        flat = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(vectors.reshape(-1)), self.dimension)
        ids = np.arange(self._count, self._count + len(vectors))
        rows = pyarrow.table({"id": ids, "vector": flat, **columns})
        self._count += len(vectors)
        if self._table is None:
            self._table = self._db.create_table("rows", rows)
        else:
            self._table.add(rows)

    def search(self, query: Floats, k: int, only: Filter | None) -> Slots:
        """Return what it finds."""
        if self._table is None:
            return np.empty(0, dtype=np.int64)
        asked = self._table.search(query).distance_type("dot").limit(k).select(["id"])
        if only:
            asked = asked.where(f"{only[0]} = {only[1]}", prefilter=True)
        return asked.to_arrow()["id"].to_numpy()


class SqliteVec(Rival):
    """sqlite-vec with the filters as metadata columns; Python's own SQLite often loads no extensions."""

    def __init__(self, dimension: int) -> None:
        """Start empty."""
        import pysqlite3
        import sqlite_vec

        super().__init__(dimension)
        self._db, self._count = pysqlite3.connect(":memory:"), 0
        self._db.enable_load_extension(True)
        sqlite_vec.load(self._db)
        self._db.execute(
            f"CREATE VIRTUAL TABLE rows USING vec0(vector float[{dimension}] distance_metric=cosine, "
            + ", ".join(f"{name} integer" for name in COLUMNS)
            + ")"
        )

    def add(self, vectors: Floats, columns: dict[str, npt.NDArray[np.int64]]) -> None:
        """Take rows in."""
        rows = [
            (self._count + place, vector.tobytes(), *(int(columns[name][place]) for name in COLUMNS))
            for place, vector in enumerate(vectors)
        ]
        with self._db:
            self._db.executemany("INSERT INTO rows (rowid, vector, tenth, hundredth) VALUES (?, ?, ?, ?)", rows)
        self._count += len(vectors)

    def search(self, query: Floats, k: int, only: Filter | None) -> Slots:
        """Return what it finds."""
        where = f" AND {only[0]} = {only[1]}" if only else ""
        found = self._db.execute(f"SELECT rowid FROM rows WHERE vector MATCH ? AND k = ?{where}", (query.tobytes(), k))
        return np.array([row[0] for row in found], dtype=np.int64)


def _native(dimension: int) -> Rival:
    if native.kernel() is None:
        raise ImportError("memlane-native")
    return Ours(dimension, Scanning())


# Those that take part at a million rows are the ones whose adding takes seconds.
RIVALS: Mapping[str, Callable[[int], Rival]] = {
    "memlane, native": _native,
    "memlane, numpy": lambda dimension: Ours(dimension, Scanning(kernel=None)),
    "numpy, all in full": lambda dimension: Ours(dimension, Scanning(exact_rows=2**62, kernel=None)),
    "faiss binary": FaissBinary,
    "simsimd hamming": SimsimdHamming,
    "turbovec": Turbovec,
    "faiss hnsw": FaissHnsw,
    "chromadb": Chroma,
    "chromadb, ef 400": WiderChroma,
    "lancedb": Lance,
    "sqlite-vec": SqliteVec,
}
OURS = ("memlane, native", "memlane, numpy", "numpy, all in full")


def installed(name: str) -> bool:
    """Tell whether a rival can be made here."""
    try:
        RIVALS[name](8 * 8)
    except ImportError:
        return False
    return True


def site_packages(environment: Path) -> list[str]:
    """Return the folders of an environment's packages."""
    return [str(folder) for folder in environment.glob("lib/python*/site-packages")]

"""Full text in many languages: is the right text among the first ten?

`python -m benchmarks.languages` puts the texts of `benchmarks/languages/*.json` into one space of a store, so that each
is a distractor for all others, and searches with full text alone. A query is `verbatim` (words as they stand in the
text), `other` (inflected, a part of a compound, spaced or spelled another way) or `decomposed` (a verbatim one in
Unicode's form D). A result that no word of the query meets does not count, wherever it stands.

`--times` measures what the expansion of terms costs over 100,000 rows of made-up words, without a store.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.own_stack import conditions
from benchmarks.report import kept, parser_of, show
from memory.lexical import Posting
from memory.records import Actor, Scope, SearchQuery
from memory.statements import equality_key
from services.fake_models import WordModels
from services.fakes import SteppedClock, fake_host
from services.host import Host
from services.search import search
from store import generations, memories, memory_sources, rows, spaces
from store.connection import Store
from store.postings import block_of, expanded, posting
from store.segments import SegmentCache

DATA = Path(__file__).parent / "languages"
DEPTH = 10
SEED = 20261201
# Of `--times`.
ROWS, ROW_WORDS, WORDS = 100_000, 20, 700_000
QUERIES, QUERY_WORDS, REPEATS = 200, 8, 5
SCOPE = Scope(tenant="default", spaces=("languages",))
KINDS = ("verbatim", "other", "decomposed")

# Of made-up words.
_SYLLABLE = (tuple("bcdfghjklmnprstvwz"), tuple("aeiou"), ("", "", "n", "r", "s", "t", "l"))

Texts = Mapping[str, Mapping[str, Sequence[Sequence[str]]]]  # by language, by text: verbatim queries, others


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What came of one query."""

    language: str
    kind: str  # see KINDS
    query: str
    text: str  # the one it is about
    place: int | None  # of that text among the results, 1-based; None when it is not among the first ten


def texts() -> Texts:
    """Return the data by language."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(DATA.glob("*.json"))}


def queries(of: Texts) -> Iterator[tuple[str, str, str, str]]:
    """Yield (language, kind, query, text)."""
    for language, by_text in of.items():
        for text, (verbatim, others) in by_text.items():
            yield from ((language, "verbatim", one, text) for one in verbatim)
            yield from ((language, "other", one, text) for one in others)
            for one in verbatim:
                if (decomposed := unicodedata.normalize("NFD", one)) != one:
                    yield language, "decomposed", decomposed, text


def store_texts(host: Host, said: Sequence[str]) -> None:
    """Make a memory of each text, in a group of its own: nothing but its words can find it."""
    at, actor = host.clock(), Actor(kind="pipeline", id="benchmark")
    with host.store.write(SCOPE.tenant) as tx:
        space_id = spaces.ensure(SCOPE, tx, at=at)
        generation = generations.for_vectors(tx, model=host.settings.embed_model, dimension=4, at=at)
        for number, text in enumerate(said):
            row_id = rows.add_row(
                tx,
                rows.NewRow(
                    space_id=space_id, kind="memory", group_key=str(number), position=0, text=text,
                    vector=np.array([1, 0, 0, 0], dtype="<f4").tobytes(), generation_id=generation,
                ),
                at=at,
            )  # fmt: skip
            new = memories.NewVersion(
                id=f"mem_{number}", space_id=space_id, row_id=row_id, statement=text,
                equality_key=equality_key(text, None), kind="fact", confidence=1.0, model="direct", actor=actor,
            )  # fmt: skip
            memories.add_version(tx, new, valid_from=at, at=at)
            memory_sources.add_source(tx, new.id, memory_sources.NewSource(kind="direct", quote=text), at=at)


def run() -> list[Asked]:
    """Store the texts and ask every query."""
    data = texts()
    with tempfile.TemporaryDirectory(prefix="memlane-bench-") as folder:
        store = Store(Path(folder), clock=(clock := SteppedClock()))
        host = fake_host(
            Path(folder), store=store, clock=clock, models=WordModels(dimension=4), search=SegmentCache(store)
        )
        store_texts(host, [text for by_text in data.values() for text in by_text])
        asked = [
            Asked(language=language, kind=kind, query=query, text=text, place=place(host, query, text))
            for language, kind, query, text in queries(data)
        ]
        store.close()
    return asked


def place(host: Host, query: str, text: str) -> int | None:
    """Return where a text stands among the results whose words are met, 1-based."""
    answer = search(SCOPE, host, SearchQuery(q=query, limit=DEPTH, arms=frozenset({"lexical"})))
    found = [hit.text for hit in answer.hits if hit.similarity > 0]
    return found.index(text) + 1 if text in found else None


def figures(asked: Sequence[Asked]) -> str:
    """Return recall, precision of the first place and mean reciprocal rank."""
    if not asked:
        return "n 0"
    recall = np.mean([one.place is not None for one in asked])
    first = np.mean([one.place == 1 for one in asked])
    reciprocal = np.mean([1 / one.place if one.place else 0.0 for one in asked])
    return f"R@{DEPTH} {recall:.3f}  P@1 {first:.3f}  MRR {reciprocal:.3f}  n {len(asked)}"


def summary(asked: Sequence[Asked]) -> dict[str, str]:
    """Return the figures by kind, and by language and kind."""
    lines = {kind: figures([one for one in asked if one.kind == kind]) for kind in KINDS}
    for language in dict.fromkeys(one.language for one in asked):
        for kind in KINDS:
            some = [one for one in asked if (one.language, one.kind) == (language, kind)]
            if some:
                lines[f"{language} {kind}"] = figures(some)
    return lines


def times() -> dict[str, str]:
    """Measure looking up the terms of queries, as they are and with their kin, in CPU time of one thread."""
    words = made_up_words()
    # Word number r is said in proportion to 1 / r^0.75: flatter than a language, so that most are said by some row.
    chances = np.cumsum(1 / np.arange(1, WORDS + 1) ** 0.75)
    draw = np.random.default_rng(SEED)
    said = np.searchsorted(chances / chances[-1], draw.random((ROWS, ROW_WORDS)))
    blocks = (block_of([" ".join(words[number] for number in row) for row in said], 0),)
    started = time.thread_time()
    _ = blocks[0].index
    lines = {"index of terms": f"{(time.thread_time() - started) * 1000:.0f} ms for {len(blocks[0].terms):,} terms"}
    asked = np.searchsorted(chances / chances[-1], draw.random((QUERIES, QUERY_WORDS)))
    looks_up: dict[str, Callable[[str], Posting]] = {
        "terms alone": partial(posting, blocks),
        "terms with their kin": partial(expanded, blocks, visible=np.ones(ROWS, dtype=np.bool_)),
    }
    for name, look_up in looks_up.items():
        spent = [best_time(look_up, [words[number] for number in row]) for row in asked]
        p50, p95 = np.percentile(spent, [50, 95])
        lines[name] = f"p50 {p50:.2f} ms, p95 {p95:.2f} ms for {QUERY_WORDS} terms, n {QUERIES}, best of {REPEATS}"
    return lines


def best_time(look_up: Callable[[str], Posting], terms: Sequence[str]) -> float:
    """Return the least milliseconds that looking up terms took: the machine may be busy with something else."""
    spent = []
    for _ in range(REPEATS):
        started = time.thread_time()
        for term in terms:
            look_up(term)
        spent.append((time.thread_time() - started) * 1000)
    return min(spent)


def made_up_words() -> list[str]:
    """Return different words of two to five syllables."""
    choose = random.Random(SEED)
    words: dict[str, None] = {}
    while len(words) < WORDS:
        syllables = choose.choice((2, 3, 3, 4, 5))
        word = "".join(choose.choice(letters) for _ in range(syllables) for letters in _SYLLABLE)
        words[word] = None
    return list(words)


def main() -> int:
    """Run the benchmark and print its figures.

    Returns:
        The exit code, as `benchmarks.report.kept`.
    """
    parser = parser_of("languages", __doc__)
    parser.add_argument("--missed", action="store_true", help="print the queries that did not find their text")
    parser.add_argument("--times", action="store_true", help="measure the expansion of terms too")
    options = parser.parse_args()
    asked = run()
    report = conditions(*sorted(DATA.glob("*.json")), seed=SEED) | summary(asked) | (times() if options.times else {})
    show(report, width=26)
    if options.missed:
        for one in asked:
            if one.place is None:
                print(f"missed  {one.language:12} {one.kind:10} {one.query}  <-  {one.text}")
    return kept(report, options)


if __name__ == "__main__":
    raise SystemExit(main())

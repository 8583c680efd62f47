"""Extraction without a language model, measured on passages with the facts they hold.

`python -m benchmarks.facts_extraction` reads the measured passages of `benchmarks/facts`. Reported are recall (a listed
fact is found when one statement by the same speaker, about the same person, has at least 60 % of its words), precision
(statements that hold a listed fact) and how many statements are wrong: given to another speaker than who said them, or
saying what the passage's `not` list forbids. Wrong ones must be 0. Only sums are printed for the measured part.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.own_stack import conditions
from benchmarks.rates import Rate
from benchmarks.report import finish, parser_of
from memory.chunking import chunk
from memory.extraction import from_document, from_message
from memory.records import Message, Micros, Statement
from memory.segmentation import query_terms
from memory.sentences import sentences

PATH = Path(__file__).parent / "facts" / "passages.jsonl"
PARTS = ("tune", "measure")
# Share of a fact's words that a statement has when it holds the fact.
OVERLAP = 0.6
# What must not be said is searched with fewer words missing: near misses are true sentences about somebody else.
FORBIDDEN_OVERLAP = 0.8
QUESTION_MARKS = ("?", "\N{FULLWIDTH QUESTION MARK}")
CLAUSE_END = re.compile(r"[,;](?=\s)|[\N{FULLWIDTH COMMA}\N{FULLWIDTH SEMICOLON}\N{IDEOGRAPHIC COMMA}]")
# A clause with one of these is not about who says it.
OTHER_PEOPLE = frozenset(
    "he she they him his her hers their er sie ihr ihre sein seine il elle ils elles él ella ellos ellas su lui lei "
    "ele ela eles elas он она они его её han hon hans hennes hij zij haar zijn".split()  # noqa: RUF001
)
# Nothing is drawn by chance.
SEED = 0

Extractor = Callable[[Mapping[str, Any]], list[tuple[Statement, str | None]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What was found in a passage."""

    lang: str  # ISO 639-1
    facts: int
    found: int  # facts that a statement holds
    statements: int
    holding: int  # statements that hold a fact
    wrong: Counter[str]  # statements that are wrong, by reason


def load(part: str) -> list[Mapping[str, Any]]:
    """Return the passages of a part."""
    rows = [json.loads(line) for line in PATH.read_text(encoding="utf-8").splitlines() if line]
    return [row for row in rows if row["part"] == part]


def extract(passage: Mapping[str, Any]) -> list[tuple[Statement, str | None]]:
    """Find the statements of a passage by rule, each with who really said it; None in a document."""
    if passage["type"] == "document":
        text, said_at = passage["text"], _micros(passage["date"])
        found = from_document(text, chunk(text), title=passage["title"], document_date=said_at, document_zone="+00:00")
        return [(one, passage["title"]) for one in found]
    pairs: list[tuple[Statement, str | None]] = []
    for message in passage["messages"]:
        said = Message(
            role=message["role"], content=message["content"], name=message.get("name"), said_at=_micros(message["date"])
        )
        pairs += [(one, said.name or said.role) for one in from_message(said, position=len(pairs))]
    return pairs


def measure(passage: Mapping[str, Any], extractor: Extractor = extract) -> Outcome:
    """Compare what is found in a passage with what it holds and what must not be said."""
    pairs, names = extractor(passage), _names(passage)
    statements = [one for one, _ in pairs]
    holds = [[_holds(one, fact) for one in statements] for fact in passage["facts"]]
    wrong = Counter({"other speaker": sum(one.speaker != speaker for one, speaker in pairs)})
    for entry in passage["not"]:
        wrong[entry["reason"]] += sum(_says(one, passage, entry, names) for one in statements)
    return Outcome(
        lang=passage["lang"], facts=len(holds), found=sum(map(any, holds)), statements=len(statements),
        holding=sum(map(any, zip(*holds, strict=True))), wrong=wrong,
    )  # fmt: skip


def _names(passage: Mapping[str, Any]) -> frozenset[str]:
    """Return who and what the passage tells of."""
    listed = [*passage["facts"], *passage["not"]]
    spoken = [message.get("name") or message["role"] for message in passage.get("messages", [])]
    return frozenset([row["subject"] for row in listed if row["subject"]] + spoken)


def _holds(one: Statement, fact: Mapping[str, Any]) -> bool:
    speaker = fact.get("speaker")
    if speaker is not None and one.speaker != speaker:
        return False
    wanted = _words(fact["text"], without=(speaker or "", fact["subject"], "user"))
    return any(_share(wanted, part) >= OVERLAP for part in (one.text, *_sentences(one.text)))


def _says(one: Statement, passage: Mapping[str, Any], entry: Mapping[str, Any], names: frozenset[str]) -> bool:
    """Tell whether a clause says what it must not, of that person, where no listed fact is told more fully."""
    wanted = _words(entry["text"], without=(entry["subject"] or "", "user"))
    for sentence in _sentences(one.text):
        if sentence.rstrip().endswith(QUESTION_MARKS):
            continue
        words = frozenset(query_terms(sentence))
        if any(len(words & frozenset(query_terms(fact["text"]))) > len(wanted) for fact in passage["facts"]):
            continue
        clauses = CLAUSE_END.split(sentence)
        if any(_share(wanted, part) >= FORBIDDEN_OVERLAP and _is_about(part, one, entry, names) for part in clauses):
            return True
    return False


def _is_about(clause: str, one: Statement, entry: Mapping[str, Any], names: frozenset[str]) -> bool:
    subject = entry["subject"]
    if subject is None or subject in clause:
        return True
    others = {name for name in names if name in clause and name not in entry["text"]}
    return one.speaker == subject and not others and OTHER_PEOPLE.isdisjoint(clause.casefold().split())


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


def _words(text: str, *, without: Sequence[str]) -> frozenset[str]:
    left_out = {term for name in without for term in query_terms(name)}
    return frozenset(query_terms(text)) - left_out or frozenset(query_terms(text))


def _share(wanted: frozenset[str], text: str) -> float:
    return len(wanted & frozenset(query_terms(text))) / len(wanted) if wanted else 0.0


def _micros(day: str) -> Micros:
    return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp() * 1e6)


def report(part: str) -> dict[str, str]:
    """Return the figures of extraction without a language model by name."""
    outcomes = [measure(passage) for passage in load(part)]
    lines = {"passages": str(len(outcomes))}
    lines |= _figures(outcomes, "")
    lines["wrong"] = _wrong(outcomes)
    for lang, _ in Counter(one.lang for one in outcomes).most_common():
        of_lang = [one for one in outcomes if one.lang == lang]
        lines |= _figures(of_lang, f" in {lang}")
        lines[f"wrong in {lang}"] = _wrong(of_lang)
    return lines


def _figures(outcomes: Sequence[Outcome], where: str) -> dict[str, str]:
    found = Rate(hits=sum(one.found for one in outcomes), of=sum(one.facts for one in outcomes))
    right = Rate(hits=sum(one.holding for one in outcomes), of=sum(one.statements for one in outcomes))
    return {f"extraction recall{where}": str(found), f"extraction precision{where}": str(right)}


def _wrong(outcomes: Sequence[Outcome]) -> str:
    total = sum((one.wrong for one in outcomes), Counter[str]())
    return f"{sum(total.values())}" + "".join(f"  {reason} {count}" for reason, count in sorted(total.items()) if count)


def main() -> int:
    """Run the benchmark and print its figures.

    Returns:
        The exit code, as `benchmarks.report.kept`.
    """
    parser = parser_of("facts_extraction", __doc__)
    parser.add_argument("--part", choices=PARTS, default="measure", help="which passages are read (measure)")
    options = parser.parse_args()
    figures = conditions(PATH, seed=SEED) | report(options.part)
    return finish(figures, options, width=28)


if __name__ == "__main__":
    raise SystemExit(main())

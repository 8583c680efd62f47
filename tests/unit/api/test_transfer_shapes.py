"""What an import takes of each column: a value that code reads later as if it were its own has the shape for that."""

from __future__ import annotations

import base64
import copy
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from api.app import create_app
from memory.errors import StoreError
from memory.records import NewMemory
from services import memories
from services.import_checks import MOST_SPACES
from store import rows
from store.transfer_plan import LAST_ROW, PARTS, ROW_BITS
from store.transfer_shapes import SHAPES
from tests.everything import fill_with_everything
from tests.pipeline import HOME, PERSON, Pipeline
from tests.shape import assert_refused
from tests.transferring import body, export, lines, send, signed

BOTH = replace(HOME, spaces=("away", "home"))
# Columns that every file numbers for itself; what stands for them is checked as a reference.
NUMBERS = {"space_id", "row_id", "candidate_seq", "bucket_id"}
LONG = "x" * 100_001
# What no column of a kind can be, though SQLite would keep it.
WRONG: dict[str, tuple[Any, ...]] = {
    "INTEGER": (2**62 + 1, -(2**62) - 1, "5", True),
    "REAL": (7e9, -7e9, "0.5"),
    "TEXT": (5, ["x"]),
    "BLOB": ("%", 5),
    "JSON": (5, "x", [5], [{"a": 1}], {"a": {"b": {"c": 1}}}),
}
# Texts that have no bound but that of a line.
UNBOUNDED = {"content", "body", "shadow", "quote"}


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Iterator[bytes]:
    """An export of a tenant with everything in it."""
    one = Pipeline(tmp_path_factory.mktemp("everything"))
    fill_with_everything(one)
    yield export(one, BOTH, vectors=True)
    one.host.store.close()


@pytest.fixture
def target(pipeline: Pipeline) -> Any:
    return create_app(pipeline.host).test_client()


def columns_of(pipeline: Pipeline, table: str) -> dict[str, str]:
    return dict(pipeline.rows("SELECT name, type FROM pragma_table_info(?)", table))


def assert_refused_for(answer: Any, line: int, field: str) -> None:
    """Check that a line was refused by its number and the field that is wrong."""
    told = assert_refused(answer, 400)["details"]
    assert (told["line"], told["field"]) == (line, field), answer.get_json()


def first(told: list[dict[str, Any]], kind: str, has: str = "line") -> int:
    return next(number for number, line in enumerate(told) if line["line"] == kind and has in line)


def test_every_column_that_is_exported_has_a_shape(pipeline):
    exported = {part.table: set(columns_of(pipeline, part.table)) - part.left_out - NUMBERS for part in PARTS}
    exported["validity"] = set(columns_of(pipeline, "validity")) - {"id"} - NUMBERS
    assert {table: set(shapes) for table, shapes in SHAPES.items()} == exported


def test_a_wrong_value_of_any_column_is_refused_by_its_line_and_field(raw, pipeline, target):
    told, tried = lines(raw), 0
    for part in PARTS:
        types = columns_of(pipeline, part.table)
        for column in SHAPES[part.table]:
            number = first(told, part.name, column)
            kind = "JSON" if column in part.json else types[column].upper()
            values = [*WRONG[kind], *([LONG] if kind == "TEXT" and column not in UNBOUNDED else ())]
            for value in values if column != "value" else ("five", [800], 0):
                again = copy.deepcopy(told)
                again[number][column] = value
                assert_refused_for(send(target, signed(again)), number + 1, column)
                tried += 1
    assert tried > 500
    assert pipeline.rows("SELECT count(*) FROM import") == [(0,)]


def test_a_wrong_value_of_a_window_is_refused_by_its_line_and_field(raw, pipeline, target):
    told = lines(raw)
    types = columns_of(pipeline, "validity")
    number = next(n for n, line in enumerate(told) if line.get("windows"))
    for column in SHAPES["validity"]:
        for value in WRONG[types[column].upper()]:
            again = copy.deepcopy(told)
            again[number]["windows"][0][column] = value
            assert_refused_for(send(target, signed(again)), number + 1, f"windows.0.{column}")


# Of a kind of line: what is changed, and the field that is named. What code takes for granted beside the type.
UNSOUND: dict[str, tuple[str, dict[str, Any], str]] = {
    "a time of the year 20000": ("memory", {"recorded_at": 570 * 10**15}, "recorded_at"),
    "a time before the year 1": ("document", {"created_at": -(10**17)}, "created_at"),
    "metadata in metadata": ("memory", {"metadata": {"a": {"b": 1}}}, "metadata"),
    "an entity without a name": ("memory", {"entities": [{"type": "person"}]}, "entities"),
    "a relation of numbers": ("candidate", {"relations": [{"from": 1, "type": 2, "to": 3}]}, "relations"),
    "a word that there is not": ("document", {"status": "banana"}, "status"),
    "an actor that there is not": ("memory", {"actor_kind": "banana"}, "actor_kind"),
    "a kind that there is not": ("candidate", {"kind": "banana"}, "kind"),
    "an outcome that there is not": ("candidate", {"outcome": "banana"}, "outcome"),
    "what is to be judged yet": ("candidate", {"state": "ready"}, "state"),
    "a judging job that goes on": ("job", {"kind": "judging", "state": "running"}, "state"),
    "a conversation without a session": ("job", {"kind": "conversation", "state": "queued", "session_id": None},
                                         "session_id"),
    "a retention of no day": ("space", {"retention_days": 0}, "retention_days"),
    "a long custom id": ("document", {"custom_id": "x" * 256}, "custom_id"),
    "a custom id with a control character": ("document", {"custom_id": "a\x01"}, "custom_id"),
    "a negative position": ("chunk", {"position": -1}, "position"),
    "a position beyond 32 bits": ("row", {"position": 2**31}, "position"),
    "cut by a newer version": ("row", {"tokenizer": 99}, "tokenizer"),
    "a setting that there is not": ("setting", {"name": "chunkSize"}, "name"),
    "a setting of another kind": ("setting", {"name": "exclude_items"}, "value"),
    "a fit without a temperature": ("calibration", {"fitted": {"thresholds": {}, "verdicts": {}}}, "fitted"),
    "a span that ends before it starts": ("chunk", {"start": 9, "end": 3}, "end"),
    "a truth that ends before it begins": ("candidate", {"valid_from": 9, "valid_to": 8}, "valid_to"),
    "a window that ends before it begins": (
        "row", {"windows": [{"valid_from": 9, "valid_to": 8, "recorded_at": 1, "actor_kind": "person",
                             "actor_id": "a"}]}, "windows.0.valid_to",
    ),
    "a window retired by nobody": (
        "row", {"windows": [{"retired_at": 8, "recorded_at": 1, "actor_kind": "person", "actor_id": "a"}]},
        "windows.0.retired_kind",
    ),
    "an open review that is resolved": ("review", {"state": "open"}, "resolved_at"),
    "a short vector of a row": ("row", {"vector": base64.b64encode(b"abcd").decode()}, "vector"),
    "a short vector of a candidate": ("candidate", {"vector": base64.b64encode(b"abcd").decode()}, "vector"),
    "a vector that is nearer to everything than anything": (
        "row", {"vector": base64.b64encode(np.full(64, 1e30, "<f4").tobytes()).decode()}, "vector",
    ),
    "a vector of no numbers": (
        "row", {"vector": base64.b64encode(np.full(64, np.nan, "<f4").tobytes()).decode()}, "vector",
    ),
    "a number of a row that leaves none for others": ("row", {"row": LAST_ROW + 1}, "row"),
}  # fmt: skip


@pytest.mark.parametrize("case", UNSOUND)
def test_what_would_fail_later_is_refused(raw, pipeline, target, case):
    kind, fields, named = UNSOUND[case]
    told = lines(raw)
    number = first(told, kind, "document_id" if kind == "job" else "line")
    told[number] |= fields
    assert_refused_for(send(target, signed(told)), number + 1, named)
    assert pipeline.rows("SELECT count(*) FROM import") == [(0,)]


def same_row(told: list[dict[str, Any]]) -> tuple[int, str]:
    one, other = [n for n, line in enumerate(told) if line["line"] == "memory" and line["space"] == "home"][:2]
    told[other]["row"] = told[one]["row"]
    return other, "row"


def same_version(told: list[dict[str, Any]]) -> tuple[int, str]:
    other = first(told, "memory", "parent_id")
    told[other]["version"] = 1
    return other, "version"


def row_of_a_chunk(told: list[dict[str, Any]]) -> tuple[int, str]:
    other = first(told, "memory")
    told[other]["row"] = next(
        line["row"] for line in told if line["line"] == "chunk" and line["space"] == told[other]["space"]
    )
    return other, "row"


def same_custom_id(told: list[dict[str, Any]]) -> tuple[int, str]:
    one, other = [n for n, line in enumerate(told) if line["line"] == "document" and line["space"] == "home"][:2]
    for number in (one, other):
        told[number].pop("deleted_at", None)  # or it would be free again
    told[one]["custom_id"] = told[other]["custom_id"] = "twice"
    return other, "custom_id"


@pytest.mark.parametrize("twice", [same_row, same_version, row_of_a_chunk, same_custom_id])
def test_what_two_lines_cannot_both_say_is_refused(raw, pipeline, target, twice: Callable[..., tuple[int, str]]):
    told = lines(raw)
    number, field = twice(told)
    assert_refused_for(send(target, signed(told)), number + 1, field)
    assert pipeline.rows("SELECT count(*) FROM import") == [(0,)]


def test_a_file_does_not_decide_which_number_the_next_row_has(raw, pipeline, target):
    # given a file of an older version that says that the next row is one of another space
    told = lines(raw)
    for line in told:
        if line["line"] == "space":
            line["next_row"] = (1 << ROW_BITS) | 5_000
    # when it has come in and more is written
    assert send(target, signed(told)).status_code in (200, 202)
    pipeline.settle()
    assert body(export(pipeline, BOTH, vectors=True)) == body(raw)
    pipeline.add("The limit of crane 5 is 70 kg.")
    memories.remember(HOME, pipeline.host, PERSON, [NewMemory(content="Cy likes rain.")])
    pipeline.settle()
    # then every row is of the space that its number says
    assert pipeline.rows(f"SELECT count(*) FROM search_row WHERE id >> {ROW_BITS} <> space_id") == [(0,)]
    assert "next_row" not in lines(export(pipeline))[1]


def test_a_row_never_has_a_number_of_another_space(pipeline):
    memories.remember(HOME, pipeline.host, PERSON, [NewMemory(content="Cy likes rain.")])
    for number in (1 << ROW_BITS, (1 << ROW_BITS) | 5_000, 0, -1):
        with pipeline.host.store.write("default") as tx:
            tx.execute("UPDATE space SET next_row = ?", (number,))
        with pytest.raises(StoreError), pipeline.host.store.write("default") as tx:
            rows.move_rows(tx, [row for (row,) in tx.execute("SELECT id FROM search_row")], 1, at=1)


def test_more_spaces_than_an_import_takes_are_refused_at_once(raw, pipeline, target):
    header = lines(raw)[0] | {"spaces": [f"s{number}" for number in range(MOST_SPACES + 1)]}
    assert_refused_for(send(target, signed([header])), 1, "spaces")
    header["spaces"].pop()
    assert send(target, signed([header])).status_code in (200, 202)


def test_a_tenant_of_many_spaces_is_counted_and_listed(pipeline, target):
    # given more spaces than a statement has room for values
    memories.remember(HOME, pipeline.host, PERSON, [NewMemory(content="Cy likes rain.")])
    make_spaces(pipeline, 40_000)
    for path in ("/v1/stats", "/v1/spaces", "/v1/jobs", "/v1/sessions", "/v1/deletions", "/v3/container-tags/list"):
        assert target.get(path).status_code == 200, path
    assert len(target.get("/v1/spaces").get_json()["spaces"]) == 40_001


def make_spaces(pipeline: Pipeline, count: int) -> tuple[str, ...]:
    names = tuple(f"s{number:05}" for number in range(count))
    with pipeline.host.store.write("default") as tx:
        tx.executemany("INSERT INTO space (name, created_at) VALUES (?, 1)", [(name,) for name in names])
    return names


def test_an_export_of_many_spaces_tells_what_one_of_few_does(raw, pipeline, target):
    assert send(target, raw).status_code in (200, 202)
    pipeline.settle()
    names = make_spaces(pipeline, 500)
    many = export(pipeline, replace(HOME, spaces=(*BOTH.spaces, *names)), vectors=True)
    assert [line for line in body(many) if b'{"line":"space","name":"s0' not in line] == body(raw)

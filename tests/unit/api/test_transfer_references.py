"""What a line of an export names has to be in the same file and of the same space; whatever else is refused at once."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from api.app import create_app
from services import keys
from store.transfer_plan import NO_REFERENCE, NUMBERED, PARTS, refers
from tests.everything import fill_with_everything
from tests.pipeline import HOME, Pipeline
from tests.shape import assert_refused
from tests.transferring import body, export, lines, send, signed

BOTH = replace(HOME, spaces=("away", "home"))
# Columns that travel as what stands for them.
STANDS_FOR = {"space_id": "space", "row_id": "row", "candidate_seq": "candidate", "bucket_id": "bucket"}
Place = tuple[str, str]  # kind of line and field
# What alone says of which space a line is.
SPACE_BY: set[Place] = {("belief", "memory_id"), ("relabelling", "decision_id")}


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


def values_at(line: dict[str, Any], field: str) -> list[tuple[dict[str, Any], str]]:
    """Return in which objects of a line a field is, with its name there."""
    if field != "windows.job_id":
        return [(line, field)] if line.get(field) is not None else []
    return [(one, "job_id") for one in line.get("windows", ()) if one.get("job_id", "").startswith("job_")]


def places(told: list[dict[str, Any]]) -> dict[Place, list[int]]:
    """Return every field that names a row, with the lines that have it."""
    found: dict[Place, list[int]] = {}
    for part in PARTS:
        fields = {*refers(part), *NUMBERED.get(part.table, ()), "candidate", "bucket", "windows.job_id"}
        fields |= {"row"} if part.name != "row" else set()
        fields -= {"bucket"} if part.name == "bucket" else set()
        for number, line in enumerate(told):
            for field in fields:
                named = values_at(line, field) if line["line"] == part.name else []
                if named and not str(named[0][0][named[0][1]]).startswith("req_"):
                    found.setdefault((part.name, field), []).append(number)
    return found


def changed(told: list[dict[str, Any]], number: int, field: str, value: Any) -> bytes:
    """Return the export with another value in a field of a line."""
    again = copy.deepcopy(told)
    holder, name = values_at(again[number], field)[0]
    holder[name] = value
    return signed(again)


def nothing_like(value: Any) -> Any:
    return value[:4] + "0" * 26 if isinstance(value, str) else 999_999


def assert_refused_at(answer: Any, line: int, field: str) -> None:
    """Check that a line was refused by its number and the field that is wrong."""
    told = assert_refused(answer, 400)["details"]
    assert (told["line"], told["field"].replace("windows.0.", "windows.")) == (line + 1, field)
    assert f"Line {line + 1} " in answer.get_json()["error"]


def test_every_column_that_could_name_a_row_is_in_the_plan(pipeline):
    for part in PARTS:
        columns = {row[0] for row in pipeline.rows("SELECT name FROM pragma_table_info(?)", part.table)}
        assert {one for one in columns if one.endswith("_id")} <= {*refers(part), *NO_REFERENCE}, part.table


def test_the_export_has_something_in_every_column(raw, pipeline):
    told: dict[str, set[str]] = {}
    for line in lines(raw):
        told.setdefault(line["line"], set()).update(line)
    for part in PARTS:
        columns = {row[0] for row in pipeline.rows("SELECT name FROM pragma_table_info(?)", part.table)}
        wanted = {STANDS_FOR.get(one, one) for one in columns - part.left_out}
        assert wanted - told[part.name] == set(), part.name


def test_a_tenant_with_everything_comes_back_line_for_line(raw, pipeline, target):
    assert send(target, raw).status_code in (200, 202)
    pipeline.settle()
    assert pipeline.rows("SELECT state, reason FROM import") == [("finished", None)]
    assert body(export(pipeline, BOTH, vectors=True)) == body(raw)


def test_every_reference_of_every_table_is_checked(raw, pipeline, target):
    # given every foreign key of every table that an export tells of
    told = lines(raw)
    known, tried = places(told), 0
    for part in PARTS:
        keys_ = pipeline.rows('SELECT "table", "from" FROM pragma_foreign_key_list(?)', part.table)
        for named, column in keys_:
            field = STANDS_FOR.get(column, column)
            if part.name == "row" or field == "space":
                assert named in ("space",), (part.name, column)  # the header tells of spaces
                continue
            # when it names nothing
            number = known[part.name, field][0]
            value = nothing_like(told[number][field])
            refused = send(target, changed(told, number, field, value))
            # then it is refused by its line and field
            assert_refused_at(refused, number, field)
            tried += 1
    assert tried >= 22
    assert pipeline.rows("SELECT count(*) FROM import") == [(0,)]


def test_whatever_a_line_names_is_in_the_same_file(raw, pipeline, target):
    told = lines(raw)
    found = places(told)
    for (_, field), numbers in found.items():
        value = values_at(told[numbers[0]], field)[0]
        refused = send(target, changed(told, numbers[0], field, nothing_like(value[0][value[1]])))
        assert_refused_at(refused, numbers[0], field)
    assert len(found) > 45
    assert pipeline.rows("SELECT count(*) FROM import") == [(0,)]


def space_of(told: list[dict[str, Any]]) -> dict[Any, str]:
    """Return of which space each id is."""
    found: dict[Any, str] = {}
    for line in told:
        name = line.get("source_key") or line.get("id")
        space = line.get("space") or found.get(line.get("session_id"))
        if name and space:
            found[name] = space
    return found


def test_whatever_a_line_names_is_of_the_same_space(raw, pipeline, target):
    # given a line of each kind in one space, and the same field of a line of the other space
    told = lines(raw)
    spaces, tried = space_of(told), set()
    for (kind, field), numbers in places(told).items():
        named = {spaces.get(holder[name]): holder[name] for n in numbers for holder, name in values_at(told[n], field)}
        if None in named or len(named) < 2 or (kind, field) in SPACE_BY:
            continue
        one = numbers[0]
        own = spaces[(lambda pair: pair[0][pair[1]])(values_at(told[one], field)[0])]
        (foreign,) = (value for space, value in named.items() if space != own)
        # when the one names what the other names
        answer = send(target, changed(told, one, field, foreign))
        # then it is refused
        assert answer.status_code == 400, (kind, field, answer.get_json())
        tried.add((kind, field))
    assert {
        ("decision", "memory_id"),
        ("memory", "job_id"),
        ("judgement", "candidate"),
        ("job", "document_id"),
    } <= tried
    assert pipeline.rows("SELECT count(*) FROM import") == [(0,)]


def test_no_line_reaches_into_what_is_there(raw, pipeline, target):
    # given another space of the tenant with everything that a line could name
    fill_with_everything(pipeline)
    kinds = ("document", "session", "episode", "chunk", "memory", "job", "decision", "calibration")
    there = {kind: pipeline.rows(f"SELECT id FROM {kind} LIMIT 1")[0][0] for kind in kinds}
    before = export(pipeline, BOTH)
    told = [
        {**line, **({"space": f"new {line['space']}"} if "space" in line else {})} for line in copy.deepcopy(lines(raw))
    ]
    told[0]["spaces"] = [f"new {name}" for name in told[0]["spaces"]]
    for line in told:
        if line["line"] == "space":
            line["name"] = f"new {line['name']}"
    # when each reference of each kind of line is pointed at it
    tried = 0
    for (kind, field), numbers in places(told).items():
        named = {**next(refers(part) for part in PARTS if part.name == kind), "windows.job_id": "job"}.get(field)
        if named not in there:
            continue
        refused = send(target, changed(told, numbers[0], field, there[named]))
        # then it is refused by its line and field, and nothing is written
        assert_refused_at(refused, numbers[0], field)
        tried += 1
    assert tried >= 37
    assert pipeline.rows("SELECT count(*) FROM import") == [(0,)]
    assert body(export(pipeline, BOTH)) == body(before)


def test_a_line_is_not_told_twice(raw, target):
    told = lines(raw)
    for part in PARTS:
        number = next(number for number, line in enumerate(told) if line["line"] == part.name)
        if part.name in ("belief", "source", "judgement", "relabelling", "bucket_memory", "revision_source"):
            continue  # nothing names these; their tables have each once
        if part.name == "episode":
            continue  # its place in the ledger is taken
        again = [*told[: number + 1], told[number], *told[number + 1 :]]
        assert_refused_at(send(target, signed(again)), number + 1, "line")


def test_a_key_that_may_not_see_all_is_not_told_what_is_elsewhere(raw, pipeline, target):
    fill_with_everything(pipeline)
    ids = {row[0] for row in pipeline.rows("SELECT id FROM document")}
    told = lines(export(pipeline, replace(HOME, spaces=("away",)), whole=False))
    moved = [{**line, **({"space": "mine"} if "space" in line else {})} for line in told]
    moved[0]["spaces"], moved[1]["name"] = ["mine"], "mine"
    limited = keys.create(pipeline.host, label="key", spaces=("mine",), actor_kind="person").secret
    refused = send(target, signed(moved), headers={"Authorization": f"Bearer {limited}"})
    assert_refused(refused, 409)
    assert not any(one in refused.get_data(as_text=True) for one in ids)
    assert refused.get_json()["details"] == {}
    whole = keys.create(pipeline.host, label="key", actor_kind="person").secret
    assert assert_refused(send(target, signed(moved), headers={"Authorization": f"Bearer {whole}"}), 409)["details"][
        "id"
    ]

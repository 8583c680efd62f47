import shutil
import sqlite3
from contextlib import closing

import pytest

from memory.errors import StoreError, StoreForeign, StoreNewer
from services.fakes import SteppedClock
from store import schema
from store.connection import Store


def columns(path):
    with closing(sqlite3.connect(path)) as db:
        return db.execute("SELECT type, name, sql FROM sqlite_master ORDER BY type, name").fetchall()


def prepared(path, steps):
    schema.prepare(path, steps, backups=path.parent / "backups", now=7)


@pytest.mark.parametrize("family", ["tenant", "control"])
def test_every_statement_of_the_migrations_is_complete(family):
    for step in schema.migrations(family):
        assert all(sqlite3.complete_statement(one) for one in schema.statements(step.sql))


@pytest.mark.parametrize("family", ["tenant", "control"])
def test_a_new_file_has_our_marks_and_the_last_version(tmp_path, family):
    prepared(tmp_path / "new.db", schema.migrations(family))

    with closing(sqlite3.connect(tmp_path / "new.db")) as db:
        assert db.execute("PRAGMA application_id").fetchone() == (schema.APPLICATION_ID,)
        assert db.execute("PRAGMA user_version").fetchone() == (len(schema.migrations(family)),)
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_preparing_again_changes_nothing(tmp_path):
    path = tmp_path / "a.db"
    prepared(path, schema.migrations("tenant"))
    before = path.read_bytes()

    prepared(path, schema.migrations("tenant"))

    assert path.read_bytes() == before
    assert not (tmp_path / "backups").exists()


def test_an_upgrade_copies_the_file_first_and_equals_a_new_file(tmp_path):
    first = schema.migrations("control")
    added = schema.Migration(number=len(first) + 1, name="more", sql="CREATE TABLE more (\n  a TEXT -- why; not\n);\n")
    old, new = tmp_path / "old.db", tmp_path / "new.db"
    prepared(old, first)
    before = columns(old)

    prepared(old, (*first, added))
    prepared(new, (*first, added))

    assert columns(old) == columns(new)
    (copy,) = (tmp_path / "backups").iterdir()
    assert columns(copy) == before


def test_a_step_that_fails_leaves_the_version_before(tmp_path):
    path, first = tmp_path / "a.db", schema.migrations("control")
    prepared(path, first)
    broken = schema.Migration(number=len(first) + 1, name="bad", sql="CREATE TABLE ok (a);\nCREATE TABLE tenant (a);\n")

    with pytest.raises(sqlite3.OperationalError):
        prepared(path, (*first, broken))

    assert "ok" not in {name for _, name, _ in columns(path)}
    prepared(path, first)


def test_a_step_that_orphans_rows_is_refused(tmp_path):
    path = tmp_path / "a.db"
    first = schema.Migration(
        number=1,
        name="first",
        sql="CREATE TABLE a (id INTEGER PRIMARY KEY);\nCREATE TABLE b (a REFERENCES a);\n",
    )
    orphan = schema.Migration(number=2, name="orphan", sql="INSERT INTO b VALUES (1);\n")
    prepared(path, [first])

    with pytest.raises(StoreError, match="orphan"):
        prepared(path, [first, orphan])


def test_another_programs_database_is_refused_and_left_untouched(tmp_path):
    path = tmp_path / "control.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE theirs (a)")
    before = path.read_bytes()

    with pytest.raises(StoreForeign):
        Store(tmp_path, clock=SteppedClock())

    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_refused_and_left_untouched(tmp_path):
    (tmp_path / "control.db").write_text("holiday photos, part one\n" * 100)

    with pytest.raises(StoreForeign):
        Store(tmp_path, clock=SteppedClock())

    assert (tmp_path / "control.db").read_text().startswith("holiday")


def test_a_newer_file_is_refused_and_left_untouched(tmp_path):
    store = Store(tmp_path, clock=SteppedClock())
    store.ensure_tenant("default")
    path = store.path("default")
    store.close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 999")
    before = path.read_bytes()

    with pytest.raises(StoreNewer) as caught, Store(tmp_path, clock=SteppedClock()).read("default"):
        pass

    assert caught.value.details["version"] == 999
    assert path.read_bytes() == before


def test_a_gap_in_the_numbers_is_noticed(tmp_path, monkeypatch):
    shutil.copytree(schema._FOLDER, tmp_path / "m")
    (tmp_path / "m" / "control" / "0099_late.sql").write_text("SELECT 1;")
    monkeypatch.setattr(schema, "_FOLDER", tmp_path / "m")

    with pytest.raises(StoreError, match="gap"):
        schema.migrations("control")

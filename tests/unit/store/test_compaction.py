"""What was deleted leaves the file, but only when the full-text index is merged first."""

import pytest

from store.compaction import compact, optimize_full_text
from tests.rows import put_memories, searching_host

WORD = b"zeppelinwort"


@pytest.fixture
def host(tmp_path):
    made = searching_host(tmp_path)
    put_memories(made, "home", ["The zeppelinwort flies.", *(f"Shelf {n} holds part {n}." for n in range(50))])
    yield made
    made.store.close()


def forget_row(host):
    with host.store.write("default") as tx:
        (row,) = tx.execute("SELECT row_id FROM memory WHERE statement LIKE 'The zep%'").fetchone()
        for table, column in (("source", "memory_id"), ("memory", "id")):
            tx.execute(f"DELETE FROM {table} WHERE {column} = ?", (f"mem_{row}",))
        for table in ("vector", "validity"):
            tx.execute(f"DELETE FROM {table} WHERE row_id = ?", (row,))
        tx.execute("DELETE FROM search_row WHERE id = ?", (row,))


def in_files(host):
    path = host.store.path("default")
    return any(WORD in one.read_bytes() for one in (path, path.with_name(f"{path.name}-wal")) if one.exists())


def test_vacuum_alone_leaves_the_term_in_the_index(host):
    forget_row(host)

    assert compact(host.store, "default")
    assert in_files(host)


def test_with_a_merged_index_nothing_is_left(host):
    forget_row(host)

    optimize_full_text(host.store, "default")
    assert compact(host.store, "default")

    assert not in_files(host)
    with host.store.read("default") as db:
        assert db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"


def test_a_reader_in_the_way_is_told(host):
    forget_row(host)
    with host.store.read("default") as db:
        db.execute("SELECT count(*) FROM memory").fetchone()
        assert not compact(host.store, "default")
    assert compact(host.store, "default")

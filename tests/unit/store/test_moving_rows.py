"""Rows that move to another space: what goes along, what readers see, and what many of them cost."""

from memory.records import Scope, SearchQuery
from services.search import search
from store import rows, spaces
from tests.linear import assert_linear
from tests.rows import put_memories, searching_host

OLD, NEW = (Scope(tenant="default", spaces=(name,)) for name in ("old", "new"))
ROWS = 3000


def found(host, scope, words, limit=10):
    return [hit.text for hit in search(scope, host, SearchQuery(q=words, mode="memories", limit=limit)).hits]


def move(host, row_ids):
    with host.store.write("default") as tx:
        target = spaces.ensure(NEW, tx, at=1)
        rows.move_rows(tx, row_ids, target, at=host.clock())
        tx.execute("UPDATE memory SET space_id = ? WHERE row_id >> 32 = ?", (target, target))


def test_a_reader_that_holds_both_spaces_loses_and_gets_what_moved(tmp_path):
    host = searching_host(tmp_path)
    put_memories(host, "new", ["Bob plays chess."])
    ids = put_memories(host, "old", ["Ann owns a red boat.", "Cid keeps bees in Graz.", "Dan paints red barns."])
    assert set(found(host, OLD, "red")) >= {"Ann owns a red boat.", "Dan paints red barns."}
    assert "Ann owns a red boat." not in found(host, NEW, "red boat")
    # One more comes and goes before the reader looks again.
    ids += put_memories(host, "old", ["Eve sails a red dinghy."], start=3)

    move(host, [ids[0], ids[3]])

    assert set(found(host, OLD, "red")) == {"Cid keeps bees in Graz.", "Dan paints red barns."}
    assert found(host, OLD, "Ann owns a red boat", limit=1) == ["Dan paints red barns."], "What left takes a place."
    assert set(found(host, NEW, "red boat dinghy")) >= {"Ann owns a red boat.", "Eve sails a red dinghy."}
    fresh = searching_host(tmp_path)
    for scope in (OLD, NEW):
        assert found(host, scope, "red boat") == found(fresh, scope, "red boat")
    for one in (host, fresh):
        one.store.close()


def test_vectors_windows_and_terms_go_along(tmp_path):
    host = searching_host(tmp_path)
    ids = put_memories(host, "old", ["Ann owns a red boat.", "Cid keeps bees in Graz."])

    def kept():
        with host.store.read("default") as db:
            return [
                [tuple(row) for row in db.execute(query).fetchall()]
                for query in (
                    "SELECT data FROM vector ORDER BY row_id",
                    "SELECT valid_from, valid_to FROM validity ORDER BY row_id",
                    "SELECT shadow, names FROM search_row ORDER BY id",
                    "SELECT statement FROM memory JOIN search_row ON search_row.id = row_id ORDER BY search_row.id",
                )
            ]  # fmt: skip

    before = kept()
    move(host, ids)

    assert kept() == before
    with host.store.read("default") as db:
        left = db.execute("SELECT count(*) FROM search_row WHERE id BETWEEN ? AND ?", (ids[0], ids[-1])).fetchone()[0]
        (hits,) = db.execute("SELECT count(*) FROM search_text WHERE search_text MATCH 'boat'").fetchone()
    assert (left, hits) == (0, 1)
    host.store.close()


def test_moving_costs_in_proportion_inside_a_savepoint_too(tmp_path):
    host = searching_host(tmp_path)
    ids = put_memories(host, "old", [f"Ship {n} is called Vessel{n} and lies at pier {n * 7}." for n in range(ROWS)])

    def moved(text):
        with host.store.write("default") as tx:
            target = spaces.ensure(NEW, tx, at=1)
            tx.execute("SAVEPOINT step")
            rows.move_rows(tx, ids[: len(text)], target, at=1)
            tx.execute("ROLLBACK TO step")
            tx.execute("RELEASE step")

    assert_linear(moved, "x" * ROWS)
    host.store.close()

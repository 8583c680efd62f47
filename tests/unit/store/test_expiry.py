"""What is due is found by indexes, however many memories there are."""

from services.fakes import fake_host
from store import expiry, retention
from tests.rows import put_memories

DAY = 24 * 3600


def test_neither_arm_reads_every_memory(tmp_path):
    host = fake_host(tmp_path)
    with host.store.read("default") as db:
        plan = [row["detail"] for row in db.execute(f"EXPLAIN QUERY PLAN {expiry._DUE}", {"now": 1, "most": 1})]

    assert not [step for step in plan if step.startswith("SCAN memory")]
    assert any("memory_expiry" in step for step in plan)
    assert any("memory_retention" in step for step in plan)
    assert any("memory_kept" in step for step in plan)
    host.store.close()


def test_what_is_due_by_its_own_moment_and_by_its_space_is_returned_once(tmp_path):
    host = fake_host(tmp_path)
    put_memories(host, "home", ["Ann likes tea.", "Bob likes rum."])
    with host.store.write("default") as tx:
        (space_id,) = tx.execute("SELECT id FROM space").fetchone()
        retention.set_days(tx, space_id, 1, at=host.clock())
        tx.execute("UPDATE memory SET forget_after = 1 WHERE statement = 'Ann likes tea.'")
    host.clock.advance(2 * DAY)

    with host.store.read("default") as db:
        found = expiry.due(db, now=host.clock(), most=10)
        first = expiry.due(db, now=host.clock(), most=1)

    assert sorted(one.statement for one in found) == ["Ann likes tea.", "Bob likes rum."]
    assert len(first) == 1
    host.store.close()

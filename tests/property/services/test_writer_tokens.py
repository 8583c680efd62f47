"""Holders that sleep at any moment: every number is written once, in order, and no stale commit gets through."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.errors import Fenced
from services.fakes import fake_host
from services.writer import WriterLease

HOLDERS = 2
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("renew"), st.integers(0, HOLDERS - 1)),
        st.tuples(st.just("decide"), st.integers(0, HOLDERS - 1)),
        st.tuples(st.just("commit"), st.integers(0, HOLDERS - 1)),
        st.just(("sleep", 16)),
    ),
    min_size=20,
    max_size=60,
)


def rows_of(host):
    with host.store.read("default") as db:
        return [tuple(row) for row in db.execute("SELECT row_id, space_id FROM change ORDER BY seq").fetchall()]


def commit(host, number, token):
    with host.store.fenced("default", token) as tx:
        tx.execute("INSERT INTO change (space_id, row_id, op, at) VALUES (?, ?, 'add', 1)", (token, number))


@settings(max_examples=40, deadline=None)
@given(steps=STEPS)
def test_what_was_decided_under_a_lost_lease_is_never_written(steps):
    with tempfile.TemporaryDirectory() as folder:
        host = fake_host(Path(folder))
        leases = [WriterLease(host, f"h{number}") for number in range(HOLDERS)]
        decided, newest = {}, 0
        for kind, value in steps:
            if kind == "sleep":
                host.clock.advance(value)
            elif kind == "renew":
                newest = max(newest, leases[value].renew() or 0)
            elif kind == "decide" and leases[value].token is not None:
                decided[value] = (len(rows_of(host)), leases[value].token)
            elif kind == "commit" and value in decided:
                number, token = decided.pop(value)
                try:
                    commit(host, number, token)
                    assert token == newest
                except Fenced:
                    assert token < newest
        written = rows_of(host)
        assert [number for number, _ in written] == list(range(len(written)))
        assert [token for _, token in written] == sorted(token for _, token in written)
        host.store.close()

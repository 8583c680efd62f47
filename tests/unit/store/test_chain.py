"""The hash chain of the ledger: whatever is changed, left out or swapped is found, with its session and its place."""

from __future__ import annotations

import hashlib
import json

import pytest

from memory.records import Message, Scope
from memory.settings import Settings
from ops.doctor import examine
from services.fakes import fake_host
from store import chain, episodes, integrity, sessions, spaces
from store.episodes import NewEpisode

HOME = Scope(tenant="default")


@pytest.fixture
def host(tmp_path):
    one = fake_host(tmp_path)
    yield one
    one.store.close()


def said(number: int) -> NewEpisode:
    message = Message(
        role="user", name="Ines", content=f"Line {number}.", said_at=1000 + number, said_zone="+01:00",
        metadata={"b": 1, "a": ["x", "ü"]},
    )  # fmt: skip
    return NewEpisode(id=f"ep_{number}", message=message, tokens=2, salt=bytes([number]) * 16)


def fill(host, name: str, count: int, *, offset: int = 0) -> None:
    with host.store.write("default") as tx:
        space_id = spaces.ensure(HOME, tx, at=host.clock())
        sessions.ensure(HOME, tx, session_id=name, space_id=space_id, conversation_id=name, at=host.clock())
        episodes.append(tx, name, [said(offset + number) for number in range(count)], at=host.clock())
        sessions.hand_over(tx, name, watermark=count, job_id=None, at=host.clock())


def tamper(host, *statements: str) -> None:
    """Write as somebody does who has the file and not the program."""
    with host.store.write("default") as tx:
        tx.execute("DROP TRIGGER IF EXISTS episode_fixed")
        tx.execute("DROP TRIGGER IF EXISTS episode_follows")
        for one in statements:
            tx.execute(one)


def found(host) -> list[tuple[str, int]]:
    with host.store.read("default") as db:
        return [(one.session_id, one.seq) for one in chain.breaks(db)]


def test_a_ledger_as_it_was_appended_is_whole(host):
    fill(host, "ses_a", 5)
    fill(host, "ses_b", 3, offset=10)
    assert found(host) == []


CHANGED = {
    "kind": "'outcome'", "role": "'assistant'", "name": "'Rute'", "content": "'Line 9.'", "occurred_at": "1001",
    "zone": "'Z'", "metadata": '\'{"a": ["x"], "b": 1}\'', "recorded_at": "5", "id": "'ep_x'", "salt": "x'00'",
    "text_hash": "x'02'", "chain_hash": "x'02'",
}  # fmt: skip


@pytest.mark.parametrize("column", CHANGED)
def test_every_field_is_covered(host, column):
    fill(host, "ses_a", 5)
    fill(host, "ses_b", 3, offset=10)
    tamper(host, f"UPDATE episode SET {column} = {CHANGED[column]} WHERE id = 'ep_2'")
    first = found(host)[0]
    assert first == ("ses_a", 2)


def test_the_order_of_names_in_metadata_changes_nothing(host):
    fill(host, "ses_a", 2)
    same = json.dumps({"a": ["x", "ü"], "b": 1}, ensure_ascii=False)
    tamper(host, f"UPDATE episode SET metadata = '{same}' WHERE id = 'ep_1'")
    assert found(host) == []


def test_an_entry_that_is_missing_is_found_in_the_middle_and_at_the_end(host):
    fill(host, "ses_a", 6)
    tamper(host, "DELETE FROM episode WHERE id IN ('ep_1', 'ep_2')")
    assert found(host)[0] == ("ses_a", 1)
    fill(host, "ses_b", 4, offset=10)
    tamper(host, "DELETE FROM episode WHERE id IN ('ep_12', 'ep_13')")
    assert ("ses_b", 2) in found(host)


def test_entries_that_changed_places_or_sessions_are_found(host):
    fill(host, "ses_a", 4)
    tamper(
        host,
        "UPDATE episode SET seq = 9 WHERE id = 'ep_1'",
        "UPDATE episode SET seq = 1 WHERE id = 'ep_2'",
        "UPDATE episode SET seq = 2 WHERE id = 'ep_1'",
    )
    assert found(host)[0] == ("ses_a", 1)
    fill(host, "ses_b", 2, offset=10)
    tamper(
        host,
        "INSERT INTO session SELECT 'ses_c', space_id, 'c', metadata, user_id, agent_id, watermark, job_id, created_at,"
        " updated_at FROM session WHERE id = 'ses_b'",
        "UPDATE episode SET session_id = 'ses_c' WHERE session_id = 'ses_b'",
    )
    assert ("ses_c", 0) in found(host)


def test_a_new_hash_for_a_changed_text_breaks_the_next_link(host):
    fill(host, "ses_a", 4)
    words = chain.Words(name="Ines", content="Forged.", occurred_at=1001, zone="+01:00", metadata={"b": 1, "a": []})
    salt = b"\x01" * 16
    tamper(
        host,
        f"UPDATE episode SET content = 'Forged.', metadata = '{{\"b\": 1, \"a\": []}}', "
        f"text_hash = x'{chain.text_hash(salt, words).hex()}' WHERE id = 'ep_1'",
    )
    assert found(host) == [("ses_a", 1)]


def test_an_erased_text_keeps_the_chain_whole_and_its_place_still_counts(host):
    fill(host, "ses_a", 4)
    with host.store.write("default") as tx:
        tx.execute(
            "UPDATE episode SET content = '', name = NULL, metadata = '{}', salt = x'', occurred_at = NULL, zone = NULL"
            " WHERE id = 'ep_2'"
        )
    assert found(host) == []
    with host.store.read("default") as db:
        assert episodes.by_id(db, "ep_2").is_erased
    tamper(host, "UPDATE episode SET kind = 'error' WHERE id = 'ep_2'")
    assert found(host) == [("ses_a", 2)]


def test_entries_of_an_earlier_version_are_still_checked_and_go_on(host):
    fill(host, "ses_a", 0)
    previous = b""
    with host.store.write("default") as tx:
        for seq in range(2):
            salt, content = bytes([seq]) * 16, f"Old {seq}."
            text = hashlib.sha256(salt + json.dumps(["user", None, content]).encode()).digest()
            previous = hashlib.sha256(previous + seq.to_bytes(8, "big") + text).digest()
            tx.execute(
                "INSERT INTO episode (id, session_id, seq, kind, role, content, tokens, salt, text_hash, chain_hash,"
                " recorded_at) VALUES (?, 'ses_a', ?, 'turn', 'user', ?, 1, ?, ?, ?, 1)",
                (f"ep_{seq}", seq, content, salt, text, previous),
            )
        episodes.append(tx, "ses_a", [said(2), said(3)], at=host.clock())
    assert found(host) == []
    tamper(host, "UPDATE episode SET content = 'New.' WHERE id = 'ep_0'")
    assert found(host) == [("ses_a", 0)]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE episode SET content = 'Other.' WHERE id = 'ep_1'",
        "UPDATE episode SET content = '' WHERE id = 'ep_1'",
        "UPDATE episode SET seq = 7 WHERE id = 'ep_1'",
        "UPDATE episode SET chain_hash = x'00' WHERE id = 'ep_1'",
        "UPDATE episode SET metadata = '{\"a\": 1}' WHERE id = 'ep_1'",
        "INSERT INTO episode SELECT 'ep_9', session_id, 9, kind, role, name, content, occurred_at, zone, metadata,"
        " tokens, salt, text_hash, chain_hash, recorded_at FROM episode WHERE id = 'ep_1'",
    ],
)
def test_the_file_itself_refuses_to_change_an_entry_or_to_leave_a_gap(host, statement):
    fill(host, "ses_a", 3)
    with pytest.raises(Exception, match=r"never changes|without a gap"), host.store.write("default") as tx:
        tx.execute(statement)
    assert found(host) == []


def test_doctor_names_the_session_and_the_place(host, tmp_path):
    fill(host, "ses_a", 4)
    fill(host, "ses_b", 30, offset=10)
    settings = Settings(data_dir=str(tmp_path))
    told = [one.sentence for one in examine(settings, "http://127.0.0.1:9") if one.area == "store default"]
    assert any("Whole" in sentence for sentence in told)

    tamper(host, "UPDATE episode SET content = 'Other.' WHERE id = 'ep_3'")
    told = [(one.state, one.sentence) for one in examine(settings, "http://127.0.0.1:9")]
    assert ("problem", "the ledger of session ses_a is broken at seq 3: what it says is not what was appended.") in told

    # Of damage everywhere the first places are told and the rest is counted.
    tamper(host, "UPDATE episode SET salt = x'00' WHERE session_id = 'ses_b'")
    with host.store.read("default") as db:
        told = integrity.problems(db)
    assert f"the ledger is broken at {31 - integrity.MOST_TOLD} more places" in told

"""`memlane conflicts`: what waits for a person is listed, shown and decided."""

import pytest


@pytest.fixture
def entry(server):
    memory = server.memories[server.remember("Ada lives in Rome.")]
    return server.conflicts.contradict(memory, "Ada lives in Oslo.")


def test_entries_are_listed_with_both_statements(server, memlane, entry):
    ran = memlane("conflicts", "--kind", "contradiction", "--limit", "5", "--container-tag", "team")

    assert (ran.code, "Ada lives in Rome.\tAda lives in Oslo." in ran.out) == (0, True)
    sent = server.sent("GET", "/v1/conflicts")[-1].query
    assert sent == {"kind": "contradiction", "limit": "5", "container_tag": "team"}
    assert [one["id"] for one in memlane("conflicts", "list", "--json").json] == [entry]


def test_an_entry_is_shown_with_its_source_and_verdict(server, memlane, entry):
    lines = memlane("conflicts", "show", entry).out.splitlines()

    assert lines[0] == f"{entry}  contradiction, open since 2026-01-01T00:00:00Z"
    assert lines[2] == "candidate  Ada lives in Oslo.  (doc_1, confidence 0.7)"
    assert lines[3] == "judge      contradiction (contradiction 0.90), by rules"


def test_an_entry_is_decided_once(server, memlane, entry):
    ran = memlane("conflicts", "resolve", entry, "take_candidate", "--reason", "she moved")

    assert (ran.code, "resolved   take_candidate by person local: she moved" in ran.out) == (0, True)
    assert server.requests[-1].body == {"resolution": "take_candidate", "reason": "she moved"}
    assert memlane("conflicts", "--json").json == []
    assert len(memlane("conflicts", "--state", "all", "--json").json) == 1
    assert memlane("conflicts", "resolve", entry, "keep_both").code == 4


def test_an_edit_sends_its_text(server, memlane, entry):
    ran = memlane("conflicts", "resolve", entry, "edit", "--text", "Ada lives in Oslo and Rome.")

    assert ran.code == 0
    assert server.requests[-1].body == {"resolution": "edit", "text": "Ada lives in Oslo and Rome."}


@pytest.mark.parametrize("said", [["edit"], ["keep_both", "--text", "x"], ["perhaps"]])
def test_a_text_belongs_to_an_edit_alone(server, memlane, entry, said):
    assert memlane("conflicts", "resolve", entry, *said).code == 2
    assert not server.requests


def test_an_unknown_entry_is_not_found(server, memlane):
    assert memlane("conflicts", "show", "con_none").code == 4


def test_a_decision_that_is_kept_and_not_carried_out_yet_is_said(server, memlane, entry):
    server.faults.append((202, {"id": "req_1", "status": "pending", "warning": "It is carried out soon."}, {}))

    ran = memlane("conflicts", "resolve", entry, "keep_both")

    assert (ran.code, ran.out) == (0, "pending  req_1\n")
    assert "carried out soon" in ran.err


def test_what_waits_for_a_person_is_told_when_it_was_written(server, memlane):
    server.faults.append((202, {"documentId": None, "memories": [], "conflicts": ["con_1"]}, {}))

    ran = memlane("remember", "Ada lives in Oslo.")

    assert ran.code == 0
    assert "memlane conflicts show con_1" in ran.err

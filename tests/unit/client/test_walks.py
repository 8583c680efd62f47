def test_changes_follow_the_cursors_up_to_the_limit(server, memlane):
    server.page_rows = 2
    ids = [server.remember(f"fact {number}") for number in range(5)]

    assert [one["id"] for one in memlane("changes", "--json").json] == ids
    assert len(memlane("changes", "--limit", "3").out.splitlines()) == 3


def test_the_times_of_changes_are_sent_as_written(server, memlane):
    server.remember("fact")

    memlane("changes", "--from", "2026-05-01", "--to", "2026-06-01T10:00:00+02:00", "--container-tag", "team")

    sent = server.requests[0].query
    assert (sent["from"], sent["to"]) == ("2026-05-01", "2026-06-01T10:00:00+02:00")
    assert sent["container_tags"] == "team"


def test_no_change_is_4(server, memlane):
    ran = memlane("changes")

    assert (ran.code, ran.out) == (4, "")
    assert "Nothing has changed" in ran.err


def test_why_tells_source_decision_and_version_on_lines_of_their_own(server, memlane):
    memory = server.remember("Ada likes tea.")

    lines = memlane("why", memory).out.splitlines()

    assert lines[0] == f"{memory}  Ada likes tea."
    assert '  written directly: "Ada likes tea."' in lines
    assert any("update 0.90" in line for line in lines)
    assert any("retired 2026-01-02T00:00:00Z by person local: changed" in line for line in lines)
    assert memlane("why", memory, "--json").json["id"] == memory


def test_undo_sends_its_reason_and_tells_what_is_live_again(server, memlane):
    memory = server.remember("Ada likes tea.")
    server.memories[memory]["isForgotten"] = True

    ran = memlane("undo", memory, "--reason", "it was right", "--container-tag", "team")

    assert (ran.code, ran.out) == (0, f"{memory}\t1\tAda likes tea.\n")
    assert server.requests[0].body == {"container_tag": "team", "reason": "it was right"}
    assert memlane("undo", memory).code == 4


def test_an_undo_that_is_kept_but_not_carried_out_yet_is_said(server, memlane):
    server.faults.append((202, {"id": "req_1", "status": "pending", "warning": "It is carried out soon."}, {}))

    ran = memlane("undo", "mem_1")

    assert (ran.code, ran.out) == (0, "pending  req_1\n")


def test_lists_and_histories_take_both_clocks(server, memlane):
    memory = server.remember("Ada likes tea.")

    memlane("list", "--as-of", "2026-05-01", "--known-at", "2026-06-01")
    memlane("history", memory, "--as-of", "2026-05-01", "--known-at", "2026-06-01")

    assert {name: server.requests[0].body[name] for name in ("asOf", "knownAt")} == {
        "asOf": "2026-05-01",
        "knownAt": "2026-06-01",
    }
    assert server.requests[1].query == {"as_of": "2026-05-01", "known_at": "2026-06-01"}
    assert memlane("list", "--as-of", "soon").code == 2

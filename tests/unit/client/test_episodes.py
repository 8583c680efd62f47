"""`memlane episodes`, and what the client sends for it."""

import io

import pytest

from memlane.http import Client


def test_an_episode_is_appended_with_a_key_that_makes_a_repeat_harmless(server, memlane):
    ran = memlane("episodes", "add", "run-1", "I moved", "to Porto.", "--name", "Ines", "--at", "2024-03-04",
                  "--metadata", "a=1", "--container-tag", "home")  # fmt: skip

    assert ran.code == 0
    (sent,) = server.sent("POST", "/v1/episodes")
    assert sent.body == {
        "session_id": "run-1", "container_tag": "home",
        "episodes": [{"kind": "turn", "role": "user", "content": "I moved to Porto.", "name": "Ines",
                      "occurred_at": "2024-03-04", "metadata": {"a": "1"}}],
    }  # fmt: skip
    assert len(sent.headers["idempotency-key"]) == 36
    assert ran.out.split("\t") == ["0", "turn", "Ines", "2024-03-04", "I moved to Porto.\n"]


def test_other_kinds_leave_their_role_to_the_server(server, memlane):
    assert memlane("episodes", "add", "run-1", "look_up()", "--kind", "tool_call").code == 0
    assert server.requests[-1].body["episodes"] == [{"kind": "tool_call", "content": "look_up()"}]


def test_json_lines_become_one_request(server, memlane, monkeypatch):
    lines = '{"kind": "turn", "role": "user", "content": "a\u2028b"}\n\n{"kind": "error", "content": "c"}\n'
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))

    ran = memlane("episodes", "add", "run-1", "--jsonl", "--json")

    assert [one["content"] for one in ran.json["episodes"]] == ["a\u2028b", "c"]
    assert len(server.sent("POST", "/v1/episodes")) == 1


@pytest.mark.parametrize("lines", ["not json", "[1]", '{"a": 1}\n3'])
def test_what_is_no_json_lines_is_2_and_nothing_is_sent(server, memlane, monkeypatch, lines):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))

    ran = memlane("episodes", "add", "run-1", "--jsonl")

    assert ran.code == 2
    assert "Line" in ran.err
    assert server.requests == []


def test_a_session_is_shown_page_by_page_in_order(server, memlane):
    with Client(server.url) as client:
        for start in range(0, 450, 150):
            client.append_episodes(
                [{"kind": "outcome", "content": str(start + one)} for one in range(150)], session="run-1"
            )
        client.append_episodes([{"kind": "error", "content": "last"}], session="run-1")

    ran = memlane("episodes", "show", "run-1", "--limit", "1000")
    assert [line.split("\t")[0] for line in ran.out.splitlines()] == [str(number) for number in range(451)]
    assert len(server.sent("GET", "/v1/sessions/run-1/episodes")) == 3
    assert memlane("episodes", "show", "run-1", "--kind", "error", "--json").json[0]["seq"] == 450
    assert memlane("episodes", "show", "run-1", "--from-seq", "449").out.count("\n") == 2
    assert memlane("episodes", "show", "run-1", "--kind", "turn").code == 4
    assert memlane("episodes", "show", "unknown").code == 4


def test_sessions_are_listed(server, memlane):
    memlane("episodes", "add", "run-1", "Hello.")

    ran = memlane("episodes")
    assert ran.out.split("\t") == ["ses_run-1", "run-1", "default", "1", "2026-01-01T00:00:00Z\n"]
    assert memlane("episodes", "list", "--user", "ann", "--json").json[0]["id"] == "ses_run-1"
    assert server.requests[-1].query == {"user_id": "ann", "limit": "50"}


def test_an_erased_episode_is_shown_as_such(server, memlane):
    memlane("episodes", "add", "run-1", "Hello.")
    server.ledger.kept["run-1"][0].update(content=None, is_erased=True)
    assert memlane("episodes", "show", "run-1").out.endswith("(erased)\n")

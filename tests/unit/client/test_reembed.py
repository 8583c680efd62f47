"""`memlane reembed`: what each command asks for, and what is shown."""

import pytest


def test_the_status_names_generations_jobs_and_what_is_wrong(server, memlane):
    ran = memlane("reembed", "status")

    assert ran.code == 0
    assert ran.out.splitlines()[:2] == ["1\twords-1\t384\tserving\t\t3\t0", "2\twords-2\t384\tbuilding\tyes\t3\t0"]
    assert "1 of 2" in ran.out
    assert "Two models." in ran.err


@pytest.mark.parametrize(
    ("arguments", "method", "path"),
    [
        (["start"], "POST", "/v1/generations"),
        (["switch"], "POST", "/v1/generations/2/switch"),
        (["switch", "1"], "POST", "/v1/generations/1/switch"),
        (["rollback", "1"], "POST", "/v1/generations/1/rollback"),
        (["drop", "1", "--yes"], "DELETE", "/v1/generations/1"),
    ],
)
def test_a_command_asks_for_one_thing(server, memlane, arguments, method, path):
    ran = memlane("reembed", *arguments)

    assert ran.code == 0, ran.err
    assert len(server.sent(method, path)) == 1


def test_going_back_without_a_generation_to_go_back_to_says_so(server, memlane):
    ran = memlane("reembed", "rollback")

    assert ran.code == 1
    assert "reembed status" in ran.err


def test_nothing_is_dropped_without_a_yes(server, memlane):
    memlane("reembed", "drop", "1")

    assert not server.sent("DELETE", "/v1/generations/1")

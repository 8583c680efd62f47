"""`memlane tags`: what each command asks for, how a merge is followed, and that nothing is merged without a yes."""

import pytest
from rich.console import Console

from memlane import progress, tags


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch):
    monkeypatch.setattr(tags, "POLL_SECONDS", 0.001)


def test_tags_are_listed_over_all_pages(server, memlane):
    server.tags.page_rows = 1

    assert memlane("tags").out.splitlines() == [
        "home\t\t0\t3\t2026-01-01T00:00:00Z", "team/a\t\t0\t2\t2026-01-01T00:00:00Z",
    ]  # fmt: skip
    assert [one["containerTag"] for one in memlane("tags", "list", "--json").json] == ["home", "team/a"]


def test_a_tag_is_shown_with_its_settings_and_what_has_no_effect(server, memlane):
    ran = memlane("tags", "show", "team/a")

    assert ran.code == 0
    assert {"about\tA household.", "teaching paths\t/a/", "bucket food\tFood."} < set(ran.out.splitlines())
    assert "No language model" in ran.err
    assert memlane("tags", "show", "nowhere").code == 4


def test_a_merge_is_followed_to_its_end(server, memlane):
    ran = memlane("tags", "merge", "team/a", "--into", "home", "--yes")

    assert ran.code == 0, ran.err
    assert ran.out.splitlines() == [
        "mrg_1  team/a into home  completed", "memories\t2\t0", "judged\t1\t0",
        "What now stands side by side is judged: memlane jobs job_1",
    ]  # fmt: skip
    (sent,) = server.sent("POST", "/v3/container-tags/merge")
    assert sent.body == {"containerTags": ["team/a"], "targetContainerTag": "home"}
    assert "idempotency-key" in sent.headers
    assert server.tags.known == {"home": 5}


def test_a_merge_is_asked_for_and_looked_at_later(server, memlane):
    asked = memlane("tags", "merge", "team/a", "--into", "new", "--yes", "--no-wait", "--json").json
    assert (asked["id"], asked["status"], asked["remaining"]) == ("mrg_1", "queued", {"memories": 2})

    assert memlane("tags", "merging", "mrg_1", "--json").json["remaining"] == {"memories": 1}
    assert memlane("tags", "merging", "mrg_2").code == 4


def test_a_merge_that_fails_exits_1_and_says_why(server, memlane):
    server.tags.breaks = True
    ran = memlane("tags", "merge", "team/a", "--into", "home", "--yes")
    assert (ran.code, "The step broke." in ran.err) == (1, True)


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_nothing_is_merged_without_a_yes(server, memlane, more):
    ran = memlane("tags", "merge", "team/a", "--into", "home", *more)

    assert (ran.code, "--yes" in ran.err) == (2, True)
    assert not server.sent("POST", "/v3/container-tags/merge")
    assert memlane("tags", "merge", "--into", "home").code == 2


def test_a_tag_is_deleted_and_given_back_by_its_name(server, memlane):
    gone = memlane("tags", "delete", "team/a")
    assert (gone.out, "memlane tags restore del_1" in gone.err) == ("del_1\tteam/a\t0\t2\n", True)
    assert memlane("tags", "deleted").out == "del_1\tteam/a\t0\t2\t2026-01-01T00:00:00Z\n"

    back = memlane("tags", "restore", "team/a", "--as", "team/b")

    assert back.out.startswith("team/b\n")
    assert server.tags.known == {"home": 3, "team/b": 2}
    assert server.sent("POST", "/v1/deletions/del_1/restore")[0].body == {"container_tag": "team/b"}


def test_a_name_that_was_deleted_never_or_twice_restores_nothing(server, memlane):
    for _ in range(2):
        memlane("tags", "delete", "home")
        server.tags.known["home"] = 1

    assert memlane("tags", "restore", "team/a").code == 4
    several = memlane("tags", "restore", "home")
    assert (several.code, "del_1, del_2" in several.err) == (4, True)
    assert memlane("tags", "restore", "del_2", "--as", "older").code == 0


def test_a_bar_is_drawn_on_a_terminal_only():
    terminal, pipe = Console(force_terminal=True, record=True, width=60), Console(force_terminal=False, record=True)
    for console in (terminal, pipe):
        with progress.amount(console, "into home") as tell:
            tell(1, 4)
            tell(4, 4)

    assert "4/4" in terminal.export_text()
    assert pipe.export_text() == ""

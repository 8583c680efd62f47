"""`memlane profile` and what the client sends for it."""

from memlane.http import Client


def test_a_profile_is_shown_part_by_part(server, memlane):
    server.remember("Ada likes green tea.")
    memlane("profile", "put", "tea", "What people drink")

    ran = memlane("profile", "--q", "tea", "--container-tag", "team", "--as-of", "2026-05-01", "--limit", "5")

    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[:4] == ["Lasting", "  Ada likes green tea.", "tea", "  Ada likes green tea."]
    assert lines[4] == "Found"
    (sent,) = server.sent("POST", "/v4/profile")
    assert sent.body == {"containerTags": ["team"], "q": "tea", "limit": 5, "asOf": "2026-05-01"}


def test_an_empty_profile_is_4(server, memlane):
    ran = memlane("profile")

    assert (ran.code, ran.out) == (4, "")
    assert "Nothing is known" in ran.err


def test_buckets_are_named_listed_and_taken_away(server, memlane):
    assert memlane("profile", "put", "food", "What people eat", "--container-tag", "team").code == 0
    assert server.requests[-1].body == {"key": "food", "description": "What people eat", "container_tag": "team"}

    assert memlane("profile", "buckets", "--json").json == [{"key": "food", "description": "What people eat"}]
    assert memlane("profile", "remove", "food").out == ""
    assert memlane("profile", "remove", "food").code == 4


def test_the_client_asks_for_parts_and_buckets_by_name(server):
    with Client(server.url) as client:
        client.profile(include=["buckets"], buckets=["food"], known_at="2026-01-01", details=True)

    assert server.requests[-1].body == {
        "include": ["buckets"], "buckets": ["food"], "knownAt": "2026-01-01", "details": True
    }  # fmt: skip

"""`memlane erase`: a preview first, then for good; what keeps it from ending is told."""

import pytest

from memlane import erasures


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch):
    monkeypatch.setattr(erasures, "POLL_SECONDS", 0.001)


def test_without_yes_only_the_counts_are_shown(server, memlane):
    server.remember("Ada likes tea.")

    ran = memlane("erase", "--subject", "ada")

    assert (ran.code, "memories\t1" in ran.out) == (2, True)
    assert (ran.code, "Nothing was changed" in ran.err) == (2, True)
    assert (len(server.memories), server.erasures) == (1, {})


def test_with_yes_it_waits_for_the_end_and_says_what_it_waits_for(server, memlane):
    server.remember("Ada likes tea.")

    ran = memlane("erase", "--document", "d", "--container-tag", "home", "--verify", "--yes", "--json")

    assert (ran.code, ran.json["state"], ran.json["verification"]["found"]) == (0, "finished", 0)
    assert "The queue cannot be reached." in ran.err
    sent = server.sent("POST", "/v1/erasures")[-1].body
    assert sent == {"kind": "document", "id": "d", "container_tag": "home", "verify": True, "wait": True}


def test_a_tenant_is_named_to_confirm(server, memlane):
    memlane("erase", "--tenant", "default", "--yes")

    assert server.sent("POST", "/v1/erasures")[-1].body == {"kind": "tenant", "confirm": "default", "wait": True}


@pytest.mark.parametrize("arguments", [[], ["--subject", "a", "--space", "b"]])
def test_exactly_one_thing_is_named(server, memlane, arguments):
    assert memlane("erase", *arguments, "--yes").code == 2
    assert not server.requests


def test_what_the_comparison_found_is_a_failure(server, memlane):
    left = {"id": "ers_1", "kind": "memory", "state": "finished", "counts": {}, "waits_for": None,
            "verification": {"found": 2, "places": ["tenants/default.db"]}}  # fmt: skip
    server.faults.extend([(200, {"counts": {}}, {}), (200, left, {})])

    ran = memlane("erase", "--memory", "mem_1", "--yes")

    assert (ran.code, "tenants/default.db" in ran.out) == (1, True)


def test_receipts_are_listed_and_retention_is_set(server, memlane):
    memlane("erase", "--space", "home", "--yes")

    assert "ers_" in memlane("erasures").out
    assert memlane("spaces", "keep", "home", "--days", "30", "--json").json[0]["retention_days"] == 30
    assert "always" in memlane("spaces", "keep", "home", "--always").out
    assert memlane("spaces").out.startswith("default\t")
    assert memlane("spaces", "keep", "home").code == 2

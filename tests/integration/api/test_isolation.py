"""Nobody learns of what is not theirs: of another tenant, another space, another user, on any route of the app.

The walk goes over `app.url_map`, so a new route is walked without being named here.
"""

from functools import cache
from pathlib import Path

import pytest

from api.openapi.bare import bare_app
from tests.isolation import ID, WORDS, probes, rules, seen, told, world

BARE = bare_app()
ROUTES = [(method, rule.rule) for method, rule, _ in rules(BARE)]
WITHIN = ("tenant", "space", "user")
# What things are found by, beside their ids.
NAMES = ("tag", "user", "session", "custom_id")


@pytest.fixture(scope="module")
def worlds(tmp_path_factory):
    """Makes the two worlds of each kind once: with the victim, and without."""

    @cache
    def make(within):
        full, empty = (world(Path(tmp_path_factory.mktemp(within)), within=within, victim=one) for one in (True, False))
        return full, empty, full.ids(), full.dump()

    return make


def test_the_victim_has_one_of_most_kinds(worlds):
    found = {ID.match(one)[1] for one in worlds("tenant")[2]}

    assert {"doc", "chk", "mem", "ep", "ses", "job", "fgt"} <= found, found


@pytest.mark.parametrize("within", WITHIN)
@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_what_is_not_yours_is_like_what_is_not_there(worlds, within, method, path):
    # given
    full, empty, ids, before = worlds(within)
    secrets, names = (*WORDS.values(), *ids), (*map(WORDS.get, NAMES), *ids, "*")
    ((_, rule, said),) = [found for found in rules(full.app) if (found[0], found[1].rule) == (method, path)]
    # when
    different, leaked = [], []
    for probe in probes(method, rule, said, names):
        answer, nothing = (probe.open(one.client(), one.caller) for one in (full, empty))
        pair = tuple(told(one, probe.sent, within=within) for one in (answer, nothing))
        if pair[0] != pair[1]:
            different.append((probe, *pair))
        # What the caller has sent before comes back in both.
        leaked += [(probe, word) for word in seen(answer, probe.sent, secrets) - seen(nothing, probe.sent, secrets)]
    # then
    assert different[:2] == []
    assert leaked[:2] == []
    assert before <= full.dump(), "Rows of the victim were changed."


def test_the_walk_is_not_blind(worlds):
    """The victim is told what is there."""
    full, _, ids, _ = worlds("tenant")
    secrets = (*WORDS.values(), *ids)
    shown = set()
    for method, rule, said in rules(full.app):
        for probe in probes(method, rule, said, secrets) if method == "GET" else ():
            shown.update(seen(probe.open(full.client(), full.victim), probe.sent, secrets))

    assert len(shown) > 10, shown

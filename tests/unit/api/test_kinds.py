"""Correcting a kind over HTTP: what it may be sent with."""

import pytest

from services import keys
from tests.shape import assert_refused


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"id": "mem_1"}, "newContent"),
        ({"id": "mem_1", "kind": "mood"}, "kind"),
        ({"id": "mem_1", "kind": "fact", "newContent": "Ann likes tea."}, "kind"),
        ({"id": "mem_1", "kind": "fact", "metadata": {"a": "b"}}, "kind"),
        ({"content": "Ann likes tea.", "kind": "fact"}, "kind"),
    ],
)
def test_a_kind_is_corrected_alone(client, body, field):
    assert_refused(client.patch("/v4/memories", json=body), 400, field=field)


def test_only_a_person_corrects_a_kind(client, host):
    key = keys.create(host, tenant="default", label="x", actor_kind="agent")
    headers = {"Authorization": f"Bearer {key.secret}"}

    refused = client.patch("/v4/memories", json={"id": "mem_1", "kind": "fact"}, headers=headers)

    assert_refused(refused, 403, code="person_only")

"""Cursors come back from strangers: what is not the cursor of this very listing is a 400, never a page or a 500."""

import base64
import json

import pytest

from tests.shape import assert_refused

LISTS = ("/v3/documents", "/v3/documents/processing", "/v1/jobs")


def cursor_of(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def fill(client):
    for number in range(3):
        client.post("/v3/documents", json={"content": f"Note {number}."})


@pytest.mark.parametrize("route", LISTS)
def test_every_row_is_seen_once_by_cursor(client, route):
    fill(client)
    seen, cursor, key = [], None, "jobs" if "jobs" in route else None
    for _ in range(3):
        page = client.get(route, query_string={"limit": 1, **({"cursor": cursor} if cursor else {})}).get_json()
        rows = page.get(key) if key else page.get("memories") or page.get("documents")
        seen += [row["id"] for row in rows]
        cursor = page["pagination"].get("nextCursor") or page["pagination"].get("next_cursor")
    assert len(set(seen)) == 3
    assert cursor is None


@pytest.mark.parametrize(
    "sent",
    [
        "abc", "\u00e9", cursor_of([1, "x"]), cursor_of(["document.created_at", 1e999, "x"]),
        cursor_of(["document.created_at", 2**64, "x"]), cursor_of(["document.created_at", True, "x"]),
        cursor_of(["document.created_at", 1, "\ud800"]), cursor_of(["document.created_at", 1, ["x"]]),
        cursor_of({"document.created_at": 1}),
    ],
)  # fmt: skip
def test_cursor_that_is_not_ours_is_refused(client, sent):
    fill(client)
    assert_refused(client.post("/v3/documents/list", json={"cursor": sent}), 400, field="cursor")


def test_cursor_of_another_listing_is_refused(client):
    fill(client)
    cursor = client.get("/v1/jobs", query_string={"limit": 1}).get_json()["pagination"]["next_cursor"]
    assert_refused(client.post("/v3/documents/list", json={"cursor": cursor}), 400, field="cursor")

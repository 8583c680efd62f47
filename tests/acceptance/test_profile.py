"""The profile of a running service, and a bucket that is filled by rule and follows what is learned."""

from __future__ import annotations

import requests

from ops.launched import Launched, wait_until

DESCRIPTION = "What the user eats and drinks, recipes, allergies and diet"


def remember(stack: Launched, space: str, text: str, **more: object) -> str:
    written = stack.post("/v4/memories", memories=[{"content": text, **more}], containerTag=space)
    return str(written["memories"][0]["id"])


def put(stack: Launched, space: str, key: str, description: str) -> requests.Response:
    sent = {"key": key, "description": description, "container_tag": space}
    return stack.http.put(stack.url + "/v1/profile/buckets", json=sent, timeout=30)


def test_extract_05_a_profile_tells_of_the_user_and_not_of_the_assistant(stack: Launched, space: str) -> None:
    # given
    said = [
        {"role": "user", "content": "I need a light laptop for field work."},
        {"role": "assistant", "content": "You should buy model ZX and I was built by Acme."},
        {"role": "tool", "content": "stock: 4"},
    ]
    sent = stack.post("/v4/conversations", conversationId="shop", messages=said, containerTag=space)
    stack.job(sent["jobId"])

    # when
    told = stack.get("/v4/profile", containerTag=space)["profile"]

    # then
    assert [line.endswith("I need a light laptop for field work.") for line in told["static"]] == [True]
    assert "ZX" not in str(told)
    assert "Acme" not in str(told)


def test_a_profile_follows_a_change_and_knows_what_held_before(stack: Launched, space: str) -> None:
    # given
    remember(stack, space, "Dana prefers the window seat.", validFrom="2020-01-01")
    first = remember(stack, space, "Dana lives in Lyon.", validFrom="2020-01-01")
    body = {"containerTag": space, "id": first, "newContent": "Dana lives in Porto."}
    stack.http.patch(stack.url + "/v4/memories", json=body, timeout=30).raise_for_status()

    # when
    now = stack.post("/v4/profile", containerTag=space, q="Where does Dana live?")
    then = stack.post("/v4/profile", containerTag=space, asOf="2021-01-01")

    # then
    assert now["profile"]["static"] == ["Dana prefers the window seat."]
    assert now["profile"]["dynamic"] == ["Dana lives in Porto."]
    assert now["searchResults"]["results"][0]["memory"] == "Dana lives in Porto."
    assert then["profile"]["static"] == ["Dana prefers the window seat.", "Dana lives in Lyon."]


def test_a_bucket_is_filled_with_what_is_known_and_with_what_is_learned_later(stack: Launched, space: str) -> None:
    # given
    remember(stack, space, "I like my coffee without sugar.")
    remember(stack, space, "Backups start at 02:15 each night.")

    # when
    answer = put(stack, space, "food", DESCRIPTION)

    # then
    assert answer.status_code == 200, answer.text
    assert answer.json()["buckets"] == [{"key": "food", "description": DESCRIPTION, "container_tag": space}]
    assert stack.get("/v4/profile", containerTag=space)["profile"]["buckets"] == {
        "food": ["I like my coffee without sugar."]
    }

    # and later
    remember(stack, space, "I've been vegetarian since I was fifteen.")

    def food() -> list[str]:
        told = stack.post("/v4/profile", containerTag=space, include=["buckets"], buckets=["food"])
        return list(told["profile"]["buckets"]["food"])

    wait_until(lambda: len(food()) == 2, seconds=60, what="the bucket to be filled")

    # and when it is taken away
    sent = {"key": "food", "container_tag": space}
    gone = stack.http.delete(stack.url + "/v1/profile/buckets", json=sent, timeout=30)
    assert (gone.status_code, gone.json()) == (200, {"buckets": []})
    assert stack.get("/v4/profile", containerTag=space)["profile"]["buckets"] == {}

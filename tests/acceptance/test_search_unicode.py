"""Unicode forms of one text are one text (SEARCH-07): stored once, found by each form, given back as it was sent."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest

from ops.launched import Launched

# How one text can be written. The first is the one that is stored first.
FORMS = {
    "vietnamese": ["Khám ở bệnh viện số 7", unicodedata.normalize("NFD", "Khám ở bệnh viện số 7")],
    "vietnamese-decomposed-first": [unicodedata.normalize("NFD", "Họp ở Đà Nẵng"), "Họp ở Đà Nẵng"],
    "korean": ["학점인정 신청 마감", unicodedata.normalize("NFD", "학점인정 신청 마감")],
    "ligature": ["The ﬁne print is long", "The fine print is long"],
    "fullwidth": ["Model ＡＢＣ is in stock", "Model ABC is in stock"],
    "halfwidth-kana": ["ｺｰﾋｰが好き", "コーヒーが好き"],
    "invisible": ["The ware\u200bhouse\u00ad is cold", "The warehouse is cold"],
}
# Distractors: each shares a script with one of the above.
OTHERS = ["Trường học ở phố Huế", "도서관은 일요일에 쉰다", "The harbour has a crane", "紅茶が嫌い"]


def remember(stack: Launched, space: str, *texts: str) -> list[dict[str, Any]]:
    body = {"memories": [{"content": one} for one in texts], "containerTag": space}
    return list(stack.post("/v4/memories", **body)["memories"])


@pytest.mark.parametrize("name", FORMS)
def test_each_form_of_a_text_is_the_same_memory_and_finds_it(stack: Launched, space: str, name: str) -> None:
    forms = FORMS[name]
    remember(stack, space, *OTHERS)
    (first,) = remember(stack, space, forms[0])
    for form in forms[1:]:
        (again,) = remember(stack, space, form)
        assert again["id"] == first["id"]
    for form in forms:
        best = stack.search(form, containerTag=space, limit=1)
        assert [one["id"] for one in best] == [first["id"]]
    # Given back code point by code point as it was sent first.
    assert best[0]["memory"] == forms[0]
    listed = stack.post("/v4/memories/list", containerTags=[space])["memoryEntries"]
    assert len(listed) == len(OTHERS) + 1


@pytest.mark.parametrize("tag", ["bệnh-viện", "학점인정", "ﬁles", "ＡＢＣ"])
def test_a_container_tag_in_another_form_is_refused_or_the_same_container(stack: Launched, tag: str) -> None:
    answers = {
        form: stack.http.post(
            stack.url + "/v4/memories",
            json={"memories": [{"content": f"The box {tag} is blue."}], "containerTag": form},
            timeout=60,
        )
        for form in {tag, *(unicodedata.normalize(name, tag) for name in ("NFC", "NFD", "NFKC"))}
    }
    taken = {form for form, answer in answers.items() if answer.status_code != 400}
    refused = [answer.json() for form, answer in answers.items() if form not in taken]
    assert len({unicodedata.normalize("NFKC", form) for form in taken}) <= 1
    assert all(one["details"]["field"] == "containerTag" for one in refused)
    if taken:
        found = [stack.search("blue box", containerTag=form) for form in taken]
        assert all(len(one) == 1 for one in found)


@pytest.mark.parametrize(
    "query", ['"', "*", "x AND", "NEAR(", "^", "{}", "-", "' OR 1=1 --", "%", "\u0301", "()", "שׁ", "🙂"]
)
def test_no_query_is_a_syntax_error_or_matches_by_words_what_does_not_say_it(
    stack: Launched, space: str, query: str
) -> None:
    remember(stack, space, "The harbour has a crane.", "Maya plays the violin.")
    found = stack.search(query, containerTag=space, explain=True)
    assert [one["memory"] for one in found if one["explain"].get("lexical", 0) > 0] == []

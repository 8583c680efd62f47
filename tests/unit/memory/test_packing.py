"""Whole items in order of worth: what is packed, what is left out, and how it is written."""

import json

import pytest

from inference.tokens import count_tokens
from memory.context_forms import FORMS
from memory.packing import Item, Section, pack
from memory.recalled import RECALLED_CLOSE, RECALLED_OPEN, recalled_spans

NOON = 1_777_896_000_000_000  # 2026-05-04T12:00:00Z
HUGE = (600_000_000, 2**63)


def items(*texts, prefix="mem"):
    return tuple(Item(id=f"{prefix}_{n}", text=text, says=text) for n, text in enumerate(texts))


def section(name, *texts, share=1.0, **more):
    return Section(name=name, items=items(*texts), share=share, **more)


def packed(*sections, budget=10_000, form="markdown"):
    return pack(sections, budget=budget, count=count_tokens, form=FORMS[form])


def ids(found, name):
    return [item.id for one in found.sections if one.name == name for item in one.items]


FACTS = [f"The office drinks coffee number {n}." for n in range(40)]
CHINESE = [f"办公室喝第{n}号咖啡。" for n in range(40)]
# Without spaces each is one word.
THAI = [f"สำนักงานดื่มกาแฟหมายเลข{n}ทุกเช้าก่อนเริ่มทำงาน" * 20 for n in range(40)]
LETTERS = ["QWxhZGRpbjpvcGVuIHNlc2FtZQ" * (20 + n) for n in range(40)]
LONG = "The whole history of the office kitchen. " * 100


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("texts", [FACTS, CHINESE, THAI, LETTERS], ids=["english", "chinese", "thai", "base64"])
@pytest.mark.parametrize("budget", [0, 1, 10, 40, 100, 400, *HUGE])
def test_a_context_is_within_any_budget_and_a_huge_one_returns_everything(form, texts, budget):
    found = packed(section("memories", *texts), budget=budget, form=form)

    assert found.tokens == count_tokens(found.text) <= budget
    kept = ids(found, "memories")
    assert len(kept) + found.left_out["memories"] == len(texts)
    assert kept == [f"mem_{n}" for n in range(len(kept))]
    assert found.truncated == (len(kept) < len(texts))
    assert all(text in found.text for text in texts[: len(kept)])
    if budget in HUGE:
        assert len(kept) == len(texts)
    if budget < 10:
        assert (found.text, found.tokens) == ("", 0)


def test_one_item_larger_than_the_budget_costs_nobody_else_a_place():
    found = packed(section("memories", LONG, *FACTS[:3]), budget=100)

    assert ids(found, "memories") == ["mem_1", "mem_2", "mem_3"]
    assert found.left_out == {"memories": 1}
    assert "history" not in found.text


def test_the_best_item_is_taken_although_many_shorter_ones_would_fit_in_its_place():
    found = packed(section("memories", " ".join(FACTS[:4]), *FACTS[4:]), budget=70)

    assert ids(found, "memories")[0] == "mem_0"


def test_no_section_starves_another():
    found = packed(
        section("profile", *FACTS), section("memories", *CHINESE), section("chunks", LONG, "Short."), budget=300
    )

    assert all(len(ids(found, name)) >= 3 for name in ("profile", "memories"))
    assert ids(found, "chunks") == ["mem_1"]


def test_what_a_section_does_not_need_goes_to_the_others():
    alone = packed(section("memories", *FACTS), budget=300)
    shared = packed(section("profile", "Ada likes tea."), section("memories", *FACTS), budget=300)

    assert len(ids(shared, "memories")) >= len(ids(alone, "memories")) - 2
    assert shared.tokens > 280


def test_what_was_said_is_not_said_again_and_does_not_count_as_left_out():
    found = packed(section("profile", *FACTS[:5]), section("memories", *FACTS[:10]))

    assert ids(found, "memories") == [f"mem_{n}" for n in range(5, 10)]
    assert found.left_out == {"profile": 0, "memories": 0}
    assert all(found.text.count(fact) == 1 for fact in FACTS[:10])


def test_a_fact_that_has_no_place_in_one_section_can_be_in_another():
    profile = Section(name="profile", items=items(*FACTS[:9]), share=0.01)
    found = packed(profile, section("memories", FACTS[8], share=0.99), budget=50)

    assert ids(found, "memories") == ["mem_0"]


def test_the_newest_is_kept_and_read_last():
    turns = tuple(Item(id=f"ep_{n}", text=f"user: line {n}", at=NOON) for n in reversed(range(9)))
    found = packed(Section(name="turns", items=turns, share=1.0, backwards=True), budget=60)

    kept = ids(found, "turns")
    assert kept == [f"ep_{n}" for n in range(9 - len(kept), 9)]
    assert 0 < len(kept) < 9
    assert "[1] [4 May 2026] user: line" in found.text


def test_the_callers_own_text_stands_first_and_outside_of_the_marks():
    system = Section(name="system", items=items("You are kind."), share=1.0, first=True)
    found = packed(system, section("memories", *FACTS[:2]), budget=60)

    assert found.text.startswith(f"You are kind.\n\n{RECALLED_OPEN}\n## Memories\n[1] The office")
    assert recalled_spans(found.text) == [(found.text.index(RECALLED_OPEN), len(found.text))]
    alone = packed(system, section("memories", *FACTS[:2]), budget=5)
    assert alone.text == "You are kind."


def test_a_text_cannot_end_the_fence():
    found = packed(section("memories", f"A {RECALLED_CLOSE} B {RECALLED_OPEN} C"))

    assert found.text.count(RECALLED_CLOSE) == found.text.count(RECALLED_OPEN) == 1
    assert recalled_spans(found.text) == [(0, len(found.text))]


def test_json_names_ids_and_dates_and_is_known_again():
    memory = Item(id="mem_7", text="Ada: tea", at=NOON, zone="+02:00")
    found = packed(Section(name="memories", items=(memory,), share=1.0), form="json")

    item = {"id": "mem_7", "date": "2026-05-04", "text": "Ada: tea"}
    assert json.loads(found.text) == {"memlane_recalled": True, "memories": [item]}
    notes = packed(Section(name="scratchpad", items=items("Call back", prefix="note"), share=1.0), form="json").text
    assert recalled_spans(f"Before {notes} after") == [(7, 7 + len(notes))]


def test_a_tokenizer_that_counts_the_seams_is_obeyed():
    found = pack(
        [section("memories", *FACTS)], budget=120, count=lambda text: len(text.split()) + 5 * text.count("\n["),
        form=FORMS["markdown"],
    )  # fmt: skip

    assert found.tokens <= 120
    assert ids(found, "memories")


def test_what_was_not_looked_at_is_said():
    found = packed(section("memories", *FACTS[:2], more=True))

    assert (found.more, found.truncated, found.left_out) == (("memories",), True, {"memories": 0})


@pytest.mark.parametrize("texts", [THAI, LETTERS], ids=["thai", "base64"])
def test_a_budget_bounds_texts_without_spaces_too(texts):
    found = packed(section("memories", *texts), budget=2000)

    assert ids(found, "memories")
    assert len(found.text) <= 2 * 2000

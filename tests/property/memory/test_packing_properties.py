"""A context is never over its budget, cuts nothing, keeps the order, loses count of nothing, and starves no section."""

from hypothesis import given, settings
from hypothesis import strategies as st

from inference.tokens import count_tokens
from memory.context_forms import FORMS, SECTIONS
from memory.packing import Item, Section, pack

# Letters, digits, Chinese, combining marks, an emoji of several code points, line breaks and our own marks.
PIECES = st.sampled_from(
    ["tea", "Coffee", "9", "17", "咖啡", "日本", "e\u0301", "👩‍👩‍👧", "\n", " ", "\n\n",
     "<memlane-recalled>", "</memlane-recalled>", "supercalifragilistic", "'", "{", "\\", "[1]"]
)  # fmt: skip
TEXTS = st.lists(PIECES, min_size=1, max_size=30).map(" ".join).filter(str.strip)
BUDGETS = st.integers(0, 300) | st.integers(0, 2**64)


@st.composite
def some_sections(draw):
    names = draw(st.lists(st.sampled_from(SECTIONS), min_size=1, unique=True))
    found = []
    for name in sorted(names, key=SECTIONS.index):
        texts = draw(st.lists(TEXTS, max_size=1 if name == "system" else 8))
        made = tuple(
            Item(
                id=f"{name}_{n}", text=text, says=draw(st.sampled_from([None, text])),
                at=draw(st.sampled_from([None, 0, 10**15])),
            )
            for n, text in enumerate(texts)
        )  # fmt: skip
        share = draw(st.sampled_from([0.1, 0.2, 1.0]))
        first = name == "system"
        found.append(Section(name=name, items=made, share=share, first=first, backwards=name == "turns"))
    return found


def taken(found, name):
    return [item for one in found.sections if one.name == name for item in one.items]


@settings(max_examples=300)
@given(some_sections(), BUDGETS, st.sampled_from(sorted(FORMS)))
def test_never_over_the_budget_and_nothing_is_lost_track_of(sections, budget, form):
    found = pack(sections, budget=budget, count=count_tokens, form=FORMS[form])

    assert count_tokens(found.text) == found.tokens <= budget
    said = [item.says for one in found.sections for item in one.items if item.says is not None]
    assert len(said) == len(set(said))
    for section in sections:
        kept = taken(found, section.name)
        order = [section.items.index(item) for item in kept]
        assert order == sorted(order, reverse=section.backwards)
        repeated = [item for item in section.items if item not in kept and item.says in said]
        missing = {item.says or item.id for item in section.items if item not in kept and item not in repeated}
        assert found.left_out[section.name] <= len(missing)
    everything = {item.says or item.id for one in sections for item in one.items}
    in_text = {item.says or item.id for one in found.sections for item in one.items}
    assert sum(found.left_out.values()) == len(everything - in_text)


@given(some_sections(), st.sampled_from(sorted(FORMS)))
def test_a_huge_budget_returns_everything_once(sections, form):
    found = pack(sections, budget=2**63, count=count_tokens, form=FORMS[form])

    assert not found.truncated
    assert sum(found.left_out.values()) == 0


@given(some_sections(), st.integers(0, 400))
def test_every_section_has_its_best_items_within_its_share(sections, budget):
    weighed = [one for one in sections if one.items and not one.first]
    form, number = FORMS["markdown"], sum(len(one.items) for one in sections)
    found = pack(sections, budget=budget, count=count_tokens, form=form)
    first = count_tokens("\n".join(item.text for one in sections if one.first for item in one.items))
    said = {item.says for one in found.sections for item in one.items}
    for section in weighed:
        share = (budget - first) * section.share / sum(one.share for one in weighed)
        cost = count_tokens(form.frame()) + count_tokens(form.heading(section.name))
        for item in section.items:
            cost += count_tokens(form.item(section.name, item, number))
            if cost > share:
                break
            assert item in taken(found, section.name) or item.says in said

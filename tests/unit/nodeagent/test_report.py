import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import InvalidInput
from memory.fleet import ModelReport, NodeReport
from nodeagent.report import decode, encode, node_key

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
BYTES = st.integers(0, 2**60)
MODELS = st.builds(
    ModelReport,
    role=st.sampled_from(["embed", "rerank", "llm"]),
    healthy=st.booleans(),
    model=st.text(),
    reason=st.text(),
    memory_bytes=st.none() | BYTES,
    restarts=st.integers(0, 10**6),
)
REPORTS = st.builds(
    NodeReport,
    node=st.text(),
    at=BYTES,
    models=st.lists(MODELS, max_size=3).map(tuple),
    load=NUMBERS,
    memory_used_bytes=BYTES,
    memory_total_bytes=BYTES,
    celsius=st.none() | NUMBERS,
    thermal=st.sampled_from(["ok", "hot", "too_hot"]),
    problems=st.lists(st.text(), max_size=3).map(tuple),
)


@given(REPORTS)
def test_a_report_is_read_as_it_was_written(report):
    assert decode(encode(report)) == report


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("", ""),
        ("[]", ""),
        ('{"at": 1}', "node"),
        ('{"node": "a"}', "at"),
        ('{"node": "a", "at": "1"}', "at"),
        ('{"node": "a", "at": 1, "thermal": "warm"}', "thermal"),
        ('{"node": "a", "at": 1, "colour": "red"}', "colour"),
        ('{"node": "a", "at": 1, "models": [{"role": "embed", "healthy": 1}]}', "models.0.healthy"),
        ('{"node": "a", "at": 1, "models": [{"role": "cook", "healthy": true}]}', "models.0.role"),
        ('{"node": "a", "at": 1, "load": NaN}', "load"),
        ('{"node": "a", "at": 1, "celsius": Infinity}', "load"),
    ],
)
def test_what_is_not_a_report_is_refused_and_the_field_is_named(text, field):
    with pytest.raises(InvalidInput) as refused:
        decode(text)
    assert refused.value.details["field"] == field


def test_what_is_left_out_has_its_default():
    assert decode(json.dumps({"node": "a", "at": 7})) == NodeReport(node="a", at=7)


def test_the_key_names_the_node():
    assert node_key("a1") == "node:a1"

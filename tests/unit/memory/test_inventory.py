import pytest

from memory.errors import InvalidInput
from memory.fleet import FleetNode
from memory.inventory import LOCAL, decode, encode, parse

SIX = "".join(
    f"""
[[node]]
name = "{"ab"[card]}{number}"
card = {card}
lane = "{("interactive", "background")[card]}"
host = "10.0.{card}.{number + 1}"
embed_port = 8080
rerank_port = 8081
llm_port = 8082
slots = 2
"""
    for card in (0, 1)
    for number in range(3)
)


def test_the_reference_fleet_is_read():
    nodes = parse(SIX)

    assert [node.name for node in nodes] == ["a0", "a1", "a2", "b0", "b1", "b2"]
    assert nodes[4] == FleetNode(
        name="b1", card=1, lane="background", host="10.0.1.2", embed_port=8080, rerank_port=8081, llm_port=8082, slots=2
    )


def test_what_is_left_out_has_its_default():
    assert parse('[[node]]\nname = "solo"\nllm_port = 8082') == (FleetNode(name="solo", llm_port=8082),)


def test_what_was_published_is_read_back():
    for nodes in (parse(SIX), LOCAL):
        assert decode(encode(nodes)) == nodes


@pytest.mark.parametrize(
    ("text", "field", "words"),
    [
        ("node = ", "nodes", "not valid TOML"),
        ("", "node", "names no node"),
        ("node = []", "node", "names no node"),
        ("[node]\nname = 'a'", "node", "[[node]]"),
        ("[[nodes]]\nname = 'a'", "nodes", "unknown table 'nodes'"),
        ("[[node]]\ncard = 1", "node[0].name", "`name` is missing"),
        ("[[node]]\nname = 'a b'", "node[0].name", "letters, digits"),
        ("[[node]]\nname = 'a@b'", "node[0].name", "letters, digits"),
        ("[[node]]\nname = 5", "node[0].name", "not 5"),
        ("[[node]]\nname = 'a'\nllm_port = 1\n[[node]]\nname = 'a'\nllm_port = 2", "node[1].name", "Two nodes"),
        (
            "[[node]]\nname = 'a'\nllm_port = 1\n[[node]]\nname = 'b'",
            "node[1]",
            "node[1] (b): no port; give at least one of `embed_port`, `rerank_port`, `llm_port`",
        ),
        ("[[node]]\nname = 'a'\nembed_prot = 1", "node[0].embed_prot", "node[0] (a): `embed_prot`"),
        ("[[node]]\nname = 'a'\nembed_port = 0", "node[0].embed_port", "1 to 65535"),
        ("[[node]]\nname = 'a'\nembed_port = true", "node[0].embed_port", "1 to 65535"),
        ("[[node]]\nname = 'a'\nlane = 'both'", "node[0].lane", "'interactive' or 'background'"),
        ("[[node]]\nname = 'a'\nlane = ['interactive']", "node[0].lane", "'interactive' or 'background'"),
        ("[[node]]\nname = 'a'\nhost = 'http://a'", "node[0].host", "without a port"),
        ("[[node]]\nname = 'a'\nslots = 0", "node[0].slots", "from 1"),
        ("[[node]]\nname = 'a'\nslots = 1.5", "node[0].slots", "from 1"),
        ("[[node]]\nname = 'a'\nlendable = 'no'", "node[0].lendable", "true or false"),
        ("[[node]]\nname = 'a'\nbusy_limit = nan", "node[0].busy_limit", "above 0"),
        ("[[node]]\nname = 'a'\nhot_celsius = 97", "node[0].hot_celsius", "below"),
        ("[[node]]\nname = 'a'\nmemory_bytes = -1", "node[0].memory_bytes", "above 0"),
        ("[[node]]\nname = 'a'\nembed_port = 80\nllm_port = 80", "node[0].embed_port", "already"),
        (
            "[[node]]\nname = 'a'\nembed_port = 80\n[[node]]\nname = 'b'\nllm_port = 80",
            "node[1].llm_port",
            "node[0] (a)",
        ),
    ],
)
def test_a_wrong_inventory_is_refused_with_table_and_field(text, field, words):
    with pytest.raises(InvalidInput) as refused:
        parse(text)

    assert refused.value.details["field"] == field
    assert words in refused.value.message


def test_a_misspelt_field_is_hinted_at():
    with pytest.raises(InvalidInput) as refused:
        parse("[[node]]\nname = 'a'\nrerank_prot = 1")

    assert refused.value.details["hint"] == "Did you mean `rerank_port`?"


@pytest.mark.parametrize("text", ["", "{}", "[]", "[1]", '[{"name": null}]', '[{"name": "a", "slots": null}]', "\x00"])
def test_what_was_not_published_by_us_is_refused(text):
    with pytest.raises(InvalidInput):
        decode(text)

import io
import json

import pytest

from memlane import views
from memlane.render import Output, Rows, one_line, safe


def shown(payload, view, *, as_json=False):
    out = io.StringIO()
    Output(as_json=as_json, out=out, err=io.StringIO()).show(payload, view)
    return out.getvalue()


@pytest.mark.parametrize("text", ["\x1b[31mred", "\x07", "a\rb", "\x9b2J", "\u202egnp", "\x00"])
def test_stored_text_cannot_steer_the_terminal(text):
    assert safe(text).isprintable()


def test_text_is_never_read_as_markup():
    assert shown(None, lambda _: ["[bold]x[/bold] :smile:"]) == "[bold]x[/bold] :smile:\n"


def test_a_row_is_one_line_in_a_pipe_however_long():
    line = shown(None, lambda _: [Rows(columns=("a", "b"), rows=[("x\ny\tz", "w" * 500)])])

    assert line == f"x\\ny\\tz\t{'w' * 500}\n"


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("width", "head"), [(80, "name  lanes"), (200, "name  °C  lanes  why")])
def test_a_sentence_stands_beneath_a_table_that_is_too_narrow_for_it(monkeypatch, width, head):
    monkeypatch.setenv("TERM", "dumb")
    why = ("why " * 20).strip()
    out = Terminal()
    one = Output(as_json=False, out=out, err=io.StringIO())
    one.console.size = (width, 25)

    one.show(
        None, lambda _: [Rows(columns=("name", "°C", "lanes", "why"), rows=[("a1", None, "none", why)], below="why")]
    )

    first, *rest = (line.strip() for line in out.getvalue().splitlines())
    assert first == head
    assert " ".join(" ".join(rest).split()) == f"a1 none {'a1: ' if width == 80 else ''}{why}"


def test_health_has_a_line_for_each_warning():
    said = {"status": "degraded", "models": {"llm": None}, "warnings": ["Node a is gone.", "Node b is gone."]}

    assert shown(said, views.health).splitlines()[-2:] == ["Warning: Node a is gone.", "Warning: Node b is gone."]


def test_nothing_is_an_empty_cell():
    assert one_line(None) == ""


def test_json_keeps_every_character():
    payload = {"text": "řemeslník\u2028🎉\x1b\n"}

    assert json.loads(shown(payload, views.fields, as_json=True)) == payload


def test_fields_flatten_what_is_nested():
    payload = {"a": {"b": 1, "c": [1, 2]}, "d": [{"e": None}]}

    assert shown(payload, views.fields) == "a.b\t1\na.c\t1, 2\nd.0.e\t\n"


@pytest.mark.parametrize(
    ("entry", "state"),
    [
        ({"isLatest": True, "isForgotten": True}, "forgotten"),
        ({"is_latest": False, "is_forgotten": False}, "superseded"),
        ({"isLatest": True, "isForgotten": False}, "live"),
        ({"isLatest": True, "isForgotten": False, "isRetired": True}, "retired"),
        ({"is_latest": True, "is_forgotten": False, "is_retired": True}, "retired"),
        ({"isLatest": False, "isForgotten": False, "isRetired": True}, "superseded"),
    ],
)
def test_both_spellings_tell_the_state_of_a_version(entry, state):
    line = shown([{"id": "mem_1", "memory": "x", "version": 2, **entry}], views.memories)

    assert line.split("\t")[:3] == ["mem_1", "2", state]


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ({"kind": "episode", "id": "ep_1", "conversationId": "c", "messageIndex": 0}, "c#0"),
        ({"kind": "episode", "id": "ep_1", "conversation_id": "c", "message_index": 3}, "c#3"),
        ({"kind": "document", "id": "doc_1", "title": "a.md"}, "a.md"),
        ({"kind": "document", "id": "doc_1", "documentId": "doc_1"}, "doc_1"),
        ({"kind": "direct", "id": "mem_1"}, "direct"),
    ],
)
def test_a_source_is_named(source, name):
    answer = {"results": [{"id": "mem_1", "memory": "x", "similarity": 0.5, "sources": [source, source]}]}

    assert shown(answer, views.found) == f"0.500\tmem_1\tx\t{name}\n"


def test_an_answer_shows_the_beginning_of_its_evidence():
    source = {"kind": "direct", "id": "mem_1"}
    answer = {
        "answer": "Tea. [1]", "model": "extractive", "tokens": {"context": 9, "source": 0, "ratio": None},
        "citations": [{"n": 1, "id": "mem_1", "text": "## Tea\n\n" + "tea " * 99, "sources": [source]}],
    }  # fmt: skip

    said, evidence, saved = shown(answer, views.answered).splitlines()

    assert said == "Tea. [1]"
    assert evidence.startswith("[1] ## Tea tea tea ")
    assert evidence.endswith("tea ...  (mem_1, direct)")
    assert len(evidence) < views.EVIDENCE_CHARS + 40
    assert saved == "9 tokens of context, by extractive"

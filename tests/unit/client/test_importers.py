"""What other places give out is read as it is: Supermemory's lists, Markdown with front matter; exports are checked."""

import hashlib
import json
import re

import pytest

from memlane import importers
from memlane.importers import Document, Fact, Left
from memlane.transfers import CutOff, _copied

DOCUMENT = {
    "id": "sm_1", "customId": "note-1", "connectionId": None, "title": "Cranes", "summary": None, "type": "text",
    "status": "done", "metadata": {"a": "b"}, "containerTags": ["yard", "other"], "createdAt": "2024-03-04T09:00:00Z",
    "updatedAt": "2024-03-04T09:00:00Z", "content": "Crane 3 lifts nine tonnes.",
}  # fmt: skip
MEMORY = {
    "id": "m_1", "memory": "Ann likes tea.", "version": 2, "isLatest": True, "isForgotten": False, "isStatic": True,
    "metadata": {"k": 1}, "createdAt": "2024-03-04T09:00:00Z",
}  # fmt: skip


def read(tmp_path, value, *, raw=None):
    path = tmp_path / "list.json"
    path.write_text(raw if raw is not None else json.dumps(value), encoding="utf-8")
    assert not importers.is_export(path)
    return list(importers.of_list(path))


SHAPES = {
    "one answer": {"memories": [DOCUMENT], "pagination": {"currentPage": 1}},
    "answers": [{"memories": [DOCUMENT], "pagination": {}}, {"memories": []}],
    "entries": [DOCUMENT],
    "one entry": DOCUMENT,
    "documents": {"documents": [DOCUMENT]},
    "as a client in Python writes it out": {
        "memories": [
            {re.sub("([A-Z])", lambda part: f"_{part[1].lower()}", name): value for name, value in DOCUMENT.items()}
        ]
    },
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_list_of_documents_is_read_in_every_shape(tmp_path, shape):
    assert read(tmp_path, SHAPES[shape]) == [
        Document(
            shown="note-1", content="Crane 3 lifts nine tonnes.", custom_id="note-1", space="yard", title="Cranes",
            date="2024-03-04T09:00:00Z", metadata={"a": "b"},
        )
    ]  # fmt: skip


def test_a_line_each_is_read_too(tmp_path):
    raw = f"{json.dumps(DOCUMENT)}\n\n{json.dumps(MEMORY)}\n"
    assert [type(one) for one in read(tmp_path, None, raw=raw)] == [Document, Fact]


def test_a_document_without_content_or_customid(tmp_path):
    bare, plain = {**DOCUMENT, "content": None}, {**DOCUMENT, "customId": None}
    left, found = read(tmp_path, [bare, plain])
    assert isinstance(left, Left)
    assert "includeContent" in left.reason
    assert found.custom_id == "supermemory:sm_1"


def test_memories_that_hold_are_facts(tmp_path):
    others = [{**MEMORY, "isForgotten": True}, {**MEMORY, "isLatest": False}]
    fact, *left = read(tmp_path, {"memoryEntries": [MEMORY, *others]})
    assert fact == Fact(shown="m_1", content="Ann likes tea.", static=True, metadata={"k": 1})
    assert [type(one) for one in left] == [Left, Left]


@pytest.mark.parametrize("raw", ["hello", "{", '{"memories": []}', "[]", "1"])
def test_what_is_no_list_is_refused(tmp_path, raw):
    with pytest.raises(importers.NotImportable):
        read(tmp_path, None, raw=raw)


def test_a_markdown_folder_with_front_matter(tmp_path):
    folder = tmp_path / "notes"
    (folder / "sub").mkdir(parents=True)
    front = (
        "---\ntitle: \"On cranes\"\ndate: 2024-03-04\ntags: [a, 'b c']\nlinks:\n  - x\n  - y\n---\n# Cranes\n\nText."
    )
    (folder / "sub" / "a.md").write_text(front)
    (folder / "b.markdown").write_text("---\nnested:\n  a: 1\n---\nText.")
    (folder / "c.md").write_text("Before\n---\ntitle: no\n---\n")
    (folder / "d.md").write_text("---\ntitle: alone\n---\n")
    (folder / "e.txt").write_text("Text.")

    found = {one.shown.rsplit("/", 1)[-1]: one for one in importers.of_folder(folder)}

    one = found["a.md"]
    assert (one.title, one.date, one.content) == ("On cranes", "2024-03-04", "# Cranes\n\nText.")
    assert one.metadata == {"tags": ["a", "b c"], "links": ["x", "y"]}
    assert (one.custom_id, one.filepath) == ("file:notes/sub/a.md", "notes/sub/a.md")
    # What is not plain stays in the text.
    assert found["b.markdown"].content.startswith("---\nnested")
    assert found["c.md"].content.startswith("Before")
    assert {name for name, entry in found.items() if isinstance(entry, Left)} == {"d.md", "e.txt"}


def test_a_folder_and_a_list_are_handed_in(server, memlane, tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("---\ntitle: T\n---\nText.")
    ran = memlane("import", folder, "--container-tag", "home")
    assert ran.code == 0
    (sent,) = server.sent("POST", "/v3/documents")
    assert sent.body == {
        "content": "Text.", "containerTag": "home", "customId": "file:notes/a.md", "title": "T",
        "filepath": "notes/a.md",
    }  # fmt: skip

    path = tmp_path / "list.json"
    path.write_text(json.dumps({"memoryEntries": [{**MEMORY, "id": f"m_{n}"} for n in range(250)]}))
    ran = memlane("import", path, "--json")
    assert ran.json == {"documents": 0, "memories": 250, "left": 0, "failed": 0}
    sizes = [len(one.body["memories"]) for one in server.sent("POST", "/v4/memories")]
    assert sizes == [100, 100, 50]
    assert server.requests[-1].body["memories"][0] == {
        "content": "Ann likes tea.", "isStatic": True, "metadata": {"k": 1},
    }  # fmt: skip


def test_nothing_to_bring_in_is_4_and_no_list_is_2(server, memlane, tmp_path):
    (tmp_path / "empty").mkdir()
    assert memlane("import", tmp_path / "empty").code == 4
    (tmp_path / "x.json").write_text("hello")
    assert memlane("import", tmp_path / "x.json").code == 2
    assert server.requests == []


def whole():
    lines = b'{"line":"header"}\n{"line":"space","name":"a"}\n'
    end = {"line": "end", "lines": 1, "counts": {"space": 1}, "sha256": hashlib.sha256(lines).hexdigest()}
    return lines + json.dumps(end).encode() + b"\n"


@pytest.mark.parametrize("size", [1, 7, 64, 10_000])
def test_an_export_is_handed_on_and_known_to_be_whole(size):
    raw, got = whole(), bytearray()
    counts = _copied((raw[start : start + size] for start in range(0, len(raw), size)), got.extend)
    assert (bytes(got), counts) == (raw, {"space": 1})


@pytest.mark.parametrize(
    "raw",
    [b"", whole()[:-1], whole()[:-20], whole()[: whole().index(b'{"line": "end"')], whole().replace(b'"a"', b'"b"')],
    ids=["nothing", "no line feed", "in the last line", "no last line", "changed"],
)
@pytest.mark.parametrize("size", [1, 10_000])
def test_a_cut_export_is_noticed(raw, size):
    with pytest.raises(CutOff):
        _copied((raw[start : start + size] for start in range(0, len(raw), size)), lambda piece: None)

"""The setting `secrets` and memories that are written directly."""

from dataclasses import replace
from pathlib import Path

import pytest

from api import render
from memory.errors import SecretRefused
from memory.records import Message, NewMemory
from services import memories
from tests.pipeline import HOME, PERSON, Pipeline

KEY = "AKIA" + "Z7Q4M2N8" * 2


def with_policy(folder: Path, policy: str) -> Pipeline:
    pipeline = Pipeline(folder)
    pipeline.host = replace(pipeline.host, settings=replace(pipeline.host.settings, secrets=policy))
    return pipeline


def write(pipeline: Pipeline, text: str = f"The server signs with {KEY}."):
    return memories.remember(HOME, pipeline.host, PERSON, [NewMemory(content=text)])


def test_a_written_memory_is_kept_without_its_secret_and_the_answer_says_so(tmp_path: Path) -> None:
    pipeline = with_policy(tmp_path, "redact")

    written = write(pipeline)

    assert written.memories[0].statement == "The server signs with [secret removed]."
    assert "[secret removed]" in render.new_memories(written)["warning"]
    assert KEY not in str(pipeline.rows("SELECT payload FROM request"))


def test_a_changed_memory_is_treated_alike(tmp_path: Path) -> None:
    pipeline = with_policy(tmp_path, "redact")
    (old,) = write(pipeline, "The server signs with nothing.").memories

    new = memories.update(HOME, pipeline.host, PERSON, memory_id=old.id, new_content=f"It signs with {KEY}.")

    assert new.statement == "It signs with [secret removed]."
    assert "warning" in render.updated_memory(new)


def test_a_memory_without_a_secret_has_no_warning(tmp_path: Path) -> None:
    assert "warning" not in render.new_memories(write(with_policy(tmp_path, "redact"), "The gate code is 4417."))


def test_a_secret_can_be_refused_or_allowed(tmp_path: Path) -> None:
    with pytest.raises(SecretRefused) as refused:
        write(with_policy(tmp_path / "a", "refuse"))
    assert KEY not in str(refused.value.details) + refused.value.message
    assert KEY in write(with_policy(tmp_path / "b", "allow")).memories[0].statement


def test_metadata_is_treated_alike(tmp_path: Path) -> None:
    told = {"note": f"signs with {KEY}", "password": "hunter2x", "tags": [KEY, "router"], "rank": 3}
    item = NewMemory(content="The server signs.", metadata=told)

    (kept,) = memories.remember(HOME, with_policy(tmp_path / "a", "redact").host, PERSON, [item]).memories

    removed = "[secret removed]"
    assert kept.metadata == {
        "note": f"signs with {removed}", "password": removed, "tags": [removed, "router"], "rank": 3,
    }  # fmt: skip
    with pytest.raises(SecretRefused):
        memories.remember(HOME, with_policy(tmp_path / "b", "refuse").host, PERSON, [item])


def test_the_title_of_a_document_and_the_name_of_a_speaker_give_no_secret_away(tmp_path: Path) -> None:
    pipeline = with_policy(tmp_path, "redact")

    pipeline.add("The router stands in the hall.", title=f"Key {KEY}")
    pipeline.say(Message(role="user", name=f"Ann {KEY}", content="I have a blue bicycle."))

    assert pipeline.rows("SELECT DISTINCT speaker FROM memory ORDER BY 1") == [
        ("Ann [secret removed]",),
        ("Key [secret removed]",),
    ]

import shlex

import pytest


@pytest.fixture
def memories(server):
    """The memories of case CLI-03: one is meant, the others share a word with it."""
    texts = ["The D6 scratch run failed at noon.", "The scratch disk is full.", "Rack D6 has a new fan."]
    return [server.remember(text) for text in texts]


def test_the_default_is_a_preview_with_ids_texts_scores_and_the_command(server, memlane, memories):
    ran = memlane("forget", "D6", "scratch", "run")

    assert ran.code == 0
    assert f"0.800\t{memories[0]}\tThe D6 scratch run failed at noon.\n" in ran.out
    assert f"memlane forget --ids {memories[0]} --yes" in ran.out
    assert not any(memory["isForgotten"] for memory in server.memories.values())
    assert [one.body["dryRun"] for one in server.requests] == [True]


def test_the_printed_command_forgets_exactly_what_was_shown(server, memlane, memories):
    memlane("forget", "D6 scratch run", "--container-tag", "my space")
    command = memlane("forget", "D6 scratch run", "--container-tag", "my space", "--json").json["apply"]
    late = server.remember("Another D6 scratch run.")

    ran = memlane(*shlex.split(command)[1:])

    assert ran.code == 0
    assert [one for one, memory in server.memories.items() if memory["isForgotten"]] == [memories[0]]
    assert not server.memories[late]["isForgotten"]
    assert server.requests[-1].body["containerTag"] == "my space"


def test_yes_after_a_preview_leaves_a_later_match_alone(server, memlane, memories):
    memlane("forget", "D6 scratch run")
    late = server.remember("Another D6 scratch run.")

    ran = memlane("forget", "D6 scratch run", "--yes", "--reason", "done with it")

    assert server.requests[-1].body["ids"] == [memories[0]]
    assert server.requests[-1].body["reason"] == "done with it"
    assert "query" not in server.requests[-1].body
    assert not server.memories[late]["isForgotten"]
    assert "1 more match now but were not in the preview; they were left alone." in ran.err


def test_yes_lists_what_was_forgotten_and_how_to_restore(server, memlane, memories):
    ran = memlane("forget", "D6 scratch run", "--yes")
    restore = ran.out.splitlines()[-1].strip()

    assert f"{memories[0]}\tThe D6 scratch run failed at noon." in ran.out
    assert memlane(*shlex.split(restore)[1:]).code == 0
    assert not server.memories[memories[0]]["isForgotten"]


@pytest.mark.parametrize("yes", [[], ["--yes"]])
def test_a_nonsense_word_yields_nothing(server, memlane, memories, yes):
    ran = memlane("forget", "D6 scratch run xyzzy", *yes)

    assert ran.code == 4
    assert "nothing was changed" in ran.err
    assert not any(memory["isForgotten"] for memory in server.memories.values())


def test_ids_are_previewed_too(server, memlane, memories):
    ran = memlane("forget", *memories[:2])

    assert f"--ids {memories[0]},{memories[1]} --yes" in ran.out
    assert not any(memory["isForgotten"] for memory in server.memories.values())


def test_a_preview_of_ids_does_not_limit_another(server, memlane, memories):
    memlane("forget", memories[0])

    memlane("forget", "--ids", f"{memories[1]},{memories[2]}", "--yes")

    assert [memory["isForgotten"] for memory in server.memories.values()] == [False, True, True]


def test_an_unknown_id_forgets_nothing(server, memlane, memories):
    ran = memlane("forget", memories[0], "mem_nowhere", "--yes")

    assert ran.code == 4
    assert not any(memory["isForgotten"] for memory in server.memories.values())


def test_a_preview_that_cannot_be_kept_is_said(server, memlane, memories, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))

    ran = memlane("forget", "D6 scratch run")

    assert ran.code == 0
    assert "could not be kept" in ran.err


def test_yes_that_cannot_read_the_previews_changes_nothing(server, memlane, memories, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))

    ran = memlane("forget", "D6 scratch run", "--yes")

    assert ran.code == 1
    assert "Hint: Run `memlane forget` without --yes" in ran.err
    assert not any(memory["isForgotten"] for memory in server.memories.values())

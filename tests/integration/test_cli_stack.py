"""The command line against a whole stack: cases CLI-01, CLI-03 and the second ingest of CLI-05.

The fixture `stack` is a running stack: `stack.url` is its address, `stack.env` the environment to run `memlane` in.
"""

import json
import os
import shlex
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from tests.folders import difficult

OTHERS = [
    "The scratch disk of the north lab is full.",
    "Rack D6 received a new fan in March.",
    "Ada keeps a scratch pad beside her keyboard.",
    "The D6 bus leaves from the station every hour.",
    "Bruno runs along the river before work.",
    "The oven was cleaned after the long run.",
    "Paint scratches on the door were repaired.",
    "Chess players call the square d6 a hole.",
    "The invoice for the pumps is overdue.",
]
MEANT = "The D6 scratch run of the press failed at noon."


class Memlane:
    def __init__(self, stack, state):
        self._env = {**os.environ, **stack.env, "MEMLANE_URL": stack.url, "XDG_STATE_HOME": str(state)}
        self._space = f"cli-{uuid.uuid4().hex[:8]}"

    def __call__(self, *arguments):
        command = [sys.executable, "-c", "from memlane.cli import main; main()", *map(str, arguments)]
        tag = [] if "--container-tag" in arguments else ["--container-tag", self._space]
        return subprocess.run([*command, *tag], env=self._env, capture_output=True, text=True, timeout=120)

    def json(self, *arguments):
        return json.loads(self(*arguments, "--json").stdout)


@pytest.fixture
def memlane(stack, tmp_path):
    return Memlane(stack, tmp_path / "state")


@pytest.fixture
def folder(tmp_path):
    return difficult(
        tmp_path / "notes",
        a="# Depot\n\nThe depot in Brno closes at six in the evening.\n",
        note="The spare key hangs behind the blue door.\n",
    )


def last_line(ran):
    return ran.stdout.splitlines()[-1]


def texts(memlane):
    return {one["memory"]: one["id"] for one in memlane.json("list")}


def test_a_difficult_folder_is_ingested_once_and_everything_else_has_a_reason(memlane, folder):
    ran = memlane("ingest", folder)

    assert ran.returncode == 0, ran.stderr
    assert last_line(ran) == "2 ingested, 8 skipped, 0 failed"
    for name in ("link.md", "parent", "broken", "outside", ".git", "node_modules", "picture.png", "empty.md"):
        assert f"{name}: " in ran.stdout
    results = memlane.json("search", "When does the depot close?", "--mode", "documents")["results"]
    assert sum("Brno" in result.get("chunk", "") for result in results) == 1


def test_a_folder_ingested_again_is_unchanged_but_for_what_changed(memlane, folder):
    memlane("ingest", folder)

    assert last_line(memlane("ingest", folder)) == "0 ingested, 8 skipped, 0 failed, 2 unchanged"
    (folder / "a.md").write_text("# Depot\n\nThe depot in Brno closes at eight in the evening.\n")
    assert last_line(memlane("ingest", folder)) == "1 ingested, 8 skipped, 0 failed, 1 unchanged"
    results = memlane.json("search", "When does the depot close?", "--mode", "documents")["results"]
    assert not any("six" in result.get("chunk", "") for result in results)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that even root cannot read from")
def test_an_unreadable_file_is_named(memlane, folder):
    ran = memlane("ingest", folder, "/proc/self/mem")

    assert ran.returncode == 1
    assert "/proc/self/mem" in ran.stderr
    assert last_line(ran) == "2 ingested, 8 skipped, 1 failed"


@pytest.fixture
def memories(memlane):
    assert memlane("remember", MEANT, *OTHERS).returncode == 0
    return texts(memlane)


def meant(memories):
    return next(memory_id for text, memory_id in memories.items() if "scratch run" in text)


def test_forgetting_previews_then_forgets_what_was_previewed_and_can_be_undone(memlane, memories):
    preview = memlane.json("forget", "D6", "scratch", "run")
    assert [one["id"] for one in preview["candidates"]] == [meant(memories)]
    assert texts(memlane) == memories

    memlane("remember", "A second D6 scratch run of the press went well.")
    applied = memlane.json(*shlex.split(preview["apply"])[1:])
    assert [one["id"] for one in applied["forgotten"]] == [meant(memories)]
    assert any("second D6 scratch run" in text for text in texts(memlane))

    assert memlane(*shlex.split(applied["restore"])[1:]).returncode == 0
    assert any("failed at noon" in text for text in texts(memlane))


def test_yes_after_a_preview_leaves_a_later_match_alone(memlane, memories):
    memlane("forget", "D6 scratch run")
    memlane("remember", "A second D6 scratch run of the press went well.")

    applied = memlane.json("forget", "D6 scratch run", "--yes")

    assert [one["id"] for one in applied["forgotten"]] == [meant(memories)]
    assert len(applied["left"]) == 1


@pytest.mark.parametrize("phrase", ["D6 scratch run xyzzyplugh", "xyzzyplugh"])
def test_a_nonsense_word_never_widens(memlane, memories, phrase):
    ran = memlane("forget", phrase, "--yes")

    assert ran.returncode == 4
    assert texts(memlane) == memories


@pytest.mark.parametrize("phrase", ["", "  ", "*", "**"])
def test_an_empty_phrase_and_a_wildcard_are_refused(memlane, memories, phrase):
    ran = memlane("forget", phrase, "--yes")

    assert ran.returncode == 2
    assert texts(memlane) == memories

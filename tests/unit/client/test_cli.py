import os
import signal
import subprocess
import sys
import time
from importlib.metadata import EntryPoint

import click
import pytest

from memlane import cli

COMMANDS = {
    "health": [],
    "search": ["tea"],
    "ask": ["tea"],
    "remember": ["Ada likes tea."],
    "list": [],
    "forget": ["tea"],
    "stats": [],
    "jobs": [],
    "changes": [],
}


# A shell that runs this suite in the background has its children ignore Ctrl-C; a terminal does not.
START = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from memlane.cli import main; main()"


def process(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-c", START, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_json_is_one_document_and_nothing_else(server, memlane, command):
    server.remember("Ada likes tea.")

    ran = memlane(command, *COMMANDS[command], "--json")

    assert ran.code == 0, ran.err
    assert ran.json is not None
    assert ran.err == ""


@pytest.mark.parametrize("command", COMMANDS)
def test_plain_output_is_not_json_and_not_empty(server, memlane, command):
    server.remember("Ada likes tea.")
    memlane("ingest", __file__)

    ran = memlane(command, *COMMANDS[command])

    assert ran.code == 0, ran.err
    assert ran.out.strip()
    assert not ran.out.startswith(("{", "["))


@pytest.mark.parametrize("command", COMMANDS)
def test_an_error_is_a_sentence_on_standard_error_and_with_json_its_shape(server, memlane, command):
    server.key = "wanted"

    ran = memlane(command, *COMMANDS[command], "--json")

    assert ran.code == 1
    assert ran.json["code"] == "unauthenticated"
    assert ran.err.startswith("Error: A valid API key is needed.")


def test_the_key_of_the_option_is_used(server, memlane):
    server.key = "wanted"

    assert memlane("stats", "--api-key", "wanted").code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["unknown"],
        ["search"],
        ["search", "  "],
        ["search", "x", "--limit", "0"],
        ["search", "x", "--limit", "ten"],
        ["search", "x", "--threshold", "1.5"],
        ["search", "x", "--threshold", "nan"],
        ["search", "x", "--filters", "{"],
        ["search", "x", "--as-of", "yesterday"],
        ["search", "x", "--kind", "magic"],
        ["search", "x", "--min-confidence", "2"],
        ["search", "x", "--min-confidence", "nan"],
        ["search", "x", "--arms", ""],
        ["search", "x", "--arms", "vectors,sound"],
        ["search", "x", "--now", "yesterday"],
        ["search", "x", "--half-life", "0"],
        ["search", "x", "--half-life", "-1"],
        ["ask", "x", "--half-life", "inf"],
        ["ask", "x", "--kind", ""],
        ["ask", ""],
        ["remember", " "],
        ["remember", "x", "--metadata", "novalue"],
        ["forget"],
        ["forget", ""],
        ["forget", "*"],
        ["forget", " * ", "?"],
        ["forget", "tea", "--ids", "mem_1"],
        ["restore"],
        ["restore", "mem_1", "--batch", "fgt_1"],
        ["compress", "--budget", "0"],
        ["ingest"],
        ["ingest", "no-such-file"],
        ["ingest", "-", "."],
        ["ingest", ".", "--custom-id", "x"],
        ["stats", "--url", "nonsense"],
    ],
)
def test_a_wrong_command_line_is_2_and_asks_nothing(server, memlane, arguments):
    ran = memlane(*arguments)

    assert ran.code == 2
    assert ran.out == ""
    assert "Error" in ran.err
    assert not server.requests


@pytest.mark.parametrize(("command", "path"), [("search", "/v4/search"), ("ask", "/v1/ask")])
def test_what_narrows_a_search_is_sent_as_it_was_given(server, memlane, command, path):
    server.remember("tea")
    memlane(command, "tea")
    options = ("--kind fact --kind preference --min-confidence 0.5 --session c-1 --arms vectors,time --exact "
               "--now 2026-07-01 --zone Europe/Oslo --half-life 30")  # fmt: skip
    memlane(command, "tea", *options.split())
    plain, narrowed = (one.body for one in server.sent("POST", path))
    added = {
        "kinds": ["fact", "preference"], "min_confidence": 0.5, "session": "c-1", "arms": ["vectors", "time"],
        "exact": True, "now": "2026-07-01", "time_zone": "Europe/Oslo", "half_life_days": 30,
    }  # fmt: skip
    assert narrowed == {**plain, **added}


@pytest.mark.parametrize("command", ["search", "ask"])
def test_nothing_found_is_4(server, memlane, command):
    ran = memlane(command, "nonsense")

    assert ran.code == 4
    assert "Nothing" in ran.err


@pytest.mark.parametrize("arguments", [["history", "mem_0"], ["restore", "mem_0"], ["jobs", "show", "job_0"]])
def test_an_unknown_id_is_4_with_the_servers_hint(server, memlane, arguments):
    ran = memlane(*arguments)

    assert ran.code == 4
    assert "Hint: Check the id and the space." in ran.err


@pytest.mark.parametrize(("status", "code"), [("ok", 0), ("degraded", 0), ("down", 1)])
def test_health_tells_down_by_its_exit_code(server, memlane, status, code):
    server.health = status

    ran = memlane("health", "--json")

    assert (ran.code, ran.json["status"]) == (code, status)


def test_no_server_is_3_with_advice(memlane):
    ran = memlane("health", "--url", "http://127.0.0.1:9")

    assert ran.code == 3
    assert "Cannot reach" in ran.err
    assert "memlane up" in ran.err
    assert "Traceback" not in ran.err


def test_help_states_the_exit_codes(memlane):
    ran = memlane("--help")

    assert ran.code == 0
    assert all(f"\n    {code}  " in ran.out for code in (0, 1, 2, 3, 4, 130))


def test_every_command_says_in_one_line_what_it_does(memlane):
    listed = memlane("--help").out.partition("Commands:")[2].partition("Exit codes:")[0]

    assert "..." not in listed


def test_a_misspelt_command_is_answered_with_the_near_one(memlane):
    ran = memlane("serch", "tea")

    assert ran.code == 2
    assert "Did you mean 'search'?" in ran.err


def test_remember_writes_every_fact(server, memlane):
    ran = memlane("remember", "One.", "Two.", "--static", "--metadata", "a=1", "--metadata", "a=2", "--json")

    assert [one["memory"] for one in ran.json["memories"]] == ["One.", "Two."]
    assert server.requests[0].body["memories"][0] == {
        "content": "One.",
        "isStatic": True,
        "metadata": {"a": ["1", "2"]},
    }


def test_what_is_kept_but_not_carried_out_yet_is_said(server, memlane):
    server.faults.append((202, {"id": "req_1", "status": "pending", "warning": "It is carried out soon."}, {}))

    ran = memlane("remember", "One.")

    assert (ran.code, ran.out) == (0, "pending  req_1\n")
    assert "Warning: It is carried out soon." in ran.err


def test_list_shows_every_page_and_forgotten_ones_when_asked(server, memlane):
    server.page_rows = 2
    ids = [server.remember(f"fact {number}") for number in range(5)]
    server.memories[ids[0]]["isForgotten"] = True

    assert [one["id"] for one in memlane("list", "--json").json] == ids[1:]
    assert [one["id"] for one in memlane("list", "--json", "--forgotten").json] == ids
    assert len(memlane("list", "--limit", "3").out.splitlines()) == 3


def test_compress_prints_the_text_alone(server, memlane, tmp_path):
    (tmp_path / "long.txt").write_text("First. Second. Third.")

    ran = memlane("compress", tmp_path / "long.txt", "--q", "first", "--budget", "3")

    assert ran.out == "First.\n"
    assert ran.err == "3 of 9 tokens kept (ratio 0.333)\n"


def test_jobs_can_be_shown_watched_retried_and_cancelled(server, memlane, tmp_path):
    (tmp_path / "a.md").write_text("alpha")
    server.fail, server.looks = ("bad",), 2
    memlane("ingest", tmp_path / "a.md", "--custom-id", "bad")
    (job_id,) = server.jobs

    assert memlane("jobs", "--json").json[0]["state"] == "failed"
    assert memlane("jobs", "retry", job_id).code == 0
    assert memlane("jobs", "retry", job_id).code == 4
    watched = memlane("jobs", "show", job_id, "--watch", "--json")
    assert watched.code == 1
    assert watched.out.splitlines()[-1].startswith('{"id"')
    assert memlane("jobs", "cancel", job_id, "--json").json["state"] == "cancelled"


def test_watching_ends_when_nothing_is_under_way(server, memlane, tmp_path):
    (tmp_path / "a.md").write_text("alpha")
    memlane("ingest", tmp_path / "a.md", "--no-wait")

    ran = memlane("jobs", "--watch")

    assert ran.code == 0
    assert "done  1/1" in ran.out


def test_an_absent_server_distribution_says_what_to_install(memlane, monkeypatch):
    monkeypatch.setattr(cli, "entry_points", lambda group: ())

    ran = memlane("up", "--data-dir", "x", "--help")

    assert ran.code == 1
    assert "install `memlane-server`" in ran.err


def test_a_broken_plugin_is_a_sentence_and_the_others_go_on(server, memlane, monkeypatch):
    broken = [
        EntryPoint(name, value, cli.GROUP) for name, value in {"up": "no_such.module:up", "odd": "os:path"}.items()
    ]
    monkeypatch.setattr(cli, "entry_points", lambda group: broken)

    ran = memlane("up")

    assert ran.code == 1
    assert "no_such" in ran.err
    assert "is not a command" in memlane("odd").err
    assert memlane("stats").code == 0
    assert memlane("--help").code == 0


def test_a_plugin_cannot_replace_an_own_command(monkeypatch):
    monkeypatch.setattr(cli, "entry_points", lambda group: [EntryPoint("search", "os:path", group)])

    assert cli.memlane.get_command(click.Context(cli.memlane), "search").name == "search"


def test_a_failure_inside_a_plugin_is_no_traceback(memlane, monkeypatch):
    monkeypatch.setattr(cli, "_load", lambda name, entry: click.Command(name, callback=lambda: 1 // 0))

    ran = memlane("up")

    assert ran.code == 1
    assert ran.err == "Error: ZeroDivisionError: integer division or modulo by zero\n"


@pytest.mark.parametrize("locale", ["C", "POSIX"])
def test_text_survives_any_locale(server, locale):
    text = "řemeslník ★ 断路器 🎉"
    environment = {
        **os.environ,
        "LC_ALL": locale,
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONIOENCODING": "ascii",
    }

    written = process("remember", text, env=environment)
    out, err = written.communicate(timeout=30)

    assert written.returncode == 0, err
    assert text in out.decode("utf-8")
    assert next(iter(server.memories.values()))["memory"] == text


def test_a_reader_that_stops_reading_causes_no_traceback(server):
    for number in range(3000):
        server.remember(f"fact {number} " + "x" * 100)

    listing = process("list")
    assert listing.stdout.readline()
    listing.stdout.close()

    err = listing.stderr.read().decode()
    listing.stderr.close()
    assert listing.wait(30) != 0
    assert "Traceback" not in err
    assert "Exception" not in err


def test_ctrl_c_is_130_without_a_traceback(server, tmp_path):
    server.looks = 10**6
    (tmp_path / "a.md").write_text("alpha")

    waiting = process("ingest", str(tmp_path))
    try:
        until = time.monotonic() + 30
        while not any(one.path.startswith("/v1/jobs/") for one in server.requests):
            assert waiting.poll() is None
            assert time.monotonic() < until
            time.sleep(0.02)
        waiting.send_signal(signal.SIGINT)
        _, err = waiting.communicate(timeout=30)
    finally:
        waiting.kill()
        waiting.communicate()

    assert waiting.returncode == 130
    assert err.decode().strip() == "Stopped. What the server has accepted goes on."

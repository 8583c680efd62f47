import ctypes
import os
import signal
import subprocess
import sys
import threading
import time

import psutil
import pytest

from memory.errors import Unreadable
from services.reading.limits import ReadingLimits
from services.reading.process import ROOT, ReaderKilled, extract
from tests.office_files import docx, eml, paragraph

LIMITS = ReadingLimits()
HOSTILE = """
import os, socket, struct, subprocess, sys
sys.path.insert(0, {root!r})
from services.reading import sandbox
ready = socket.create_connection, subprocess.run
sandbox.shut({root!r}, os.getppid(), seconds=5, memory_bytes=512 * 1024**2, chars=1000)
def tried(what):
    try:
        what()
    except BaseException as error:
        return type(error).__name__
    return "done"
print(tried(lambda: open("/etc/passwd")), tried(lambda: open({secret!r})), tried(lambda: open("/tmp/x", "w")),
      tried(lambda: socket.create_connection(("127.0.0.1", {port}), 2)), tried(lambda: subprocess.run(["true"])),
      tried(os.fork), tried(lambda: os.system("true")), tried(lambda: bytearray(1024**3)),
      tried(lambda: open(os.__file__).close()))
import ctypes
# machine code, which no audit hook sees
libc = ctypes.CDLL(None, use_errno=True)
def errno_of(result):
    return "done" if result >= 0 else ctypes.get_errno()
place = struct.pack("=HHI8x", 2, socket.htons({port}), socket.ntohl(0x7F000001))
print(errno_of(libc.open({secret!r}.encode(), 0)), errno_of(libc.connect(libc.socket(2, 1, 0), place, 16)),
      errno_of(libc.open(b"/tmp/x", os.O_WRONLY | os.O_CREAT, 0o600)))
"""


def test_a_file_is_read_in_a_process_of_its_own():
    found = extract(docx(paragraph("The limit is 55 kg.")), "a.docx", None, LIMITS)
    assert found.text == "The limit is 55 kg."
    assert found.media_type.endswith("wordprocessingml.document")


def test_a_small_file_costs_less_than_half_a_second_of_processor_time():
    body = docx(paragraph("The limit is 55 kg."))
    extract(body, "a.docx", None, LIMITS)
    before = os.times()
    extract(body, "a.docx", None, LIMITS)
    after = os.times()
    spent = sum(after[:4]) - sum(before[:4])
    assert spent < 0.5, f"{spent:.2f} s"


def test_a_reader_that_takes_too_long_is_ended():
    began = time.monotonic()
    with pytest.raises(Unreadable, match=r"longer than 0\.4 seconds"):
        extract(docx(*[paragraph("x")] * 50_000), "a.docx", None, ReadingLimits(seconds=0.05))
    assert time.monotonic() - began < 5
    # and nothing of it is left running
    assert not [one for one in children() if "services.reading" in one]


@pytest.mark.parametrize(("sent", "told"), [(signal.SIGKILL, ReaderKilled), (signal.SIGXCPU, Unreadable)])
def test_a_reader_that_is_killed_from_outside_is_not_one_that_took_too_long(sent, told):
    killer = threading.Thread(target=kill_the_reader, args=(sent,))
    killer.start()
    with pytest.raises(told) as caught:
        extract(docx(*[paragraph("x")] * 50_000), "a.docx", None, LIMITS)
    killer.join()
    assert ("longer than" in str(caught.value)) == (told is Unreadable)


def kill_the_reader(sent):
    for _ in range(2_000):
        for one in psutil.Process().children(recursive=True):
            if any("services.reading" in word for word in one.cmdline()):
                return os.kill(one.pid, sent)
        time.sleep(0.005)


def children():
    return [" ".join(one.cmdline()) for one in psutil.Process().children(recursive=True)]


def test_processor_time_is_bounded_also_when_the_clock_has_time():
    html = "<table>" + "<tr><td><p>x</p></td></tr>" * 60_000 + "</table>"
    with pytest.raises(Unreadable, match="longer than 1 seconds"):
        extract(eml("long", "", html=html), "a.eml", None, ReadingLimits(seconds=1))


def test_memory_is_bounded_and_said_to_be():
    body = b"a,b\n" + b"some words,others\n" * 400_000
    with pytest.raises(Unreadable, match="more memory"):
        extract(body, "a.csv", None, ReadingLimits(memory_bytes=64 * 1024**2))


def test_text_over_the_limit_is_left_out_and_said_to_be():
    found = extract(b"a line of text\n" * 1000, "a.txt", None, ReadingLimits(chars=1000))
    assert 500 < len(found.text) <= 1000
    assert found.text.endswith("text")
    assert "of 15,000 characters were kept" in found.warnings[0]


def test_what_the_parser_says_of_a_broken_file_is_not_repeated():
    body = docx("<w:p><w:r><w:t>SECRET-77 unclosed")
    with pytest.raises(Unreadable, match="damaged") as caught:
        extract(body, "a.docx", None, LIMITS)
    assert "SECRET-77" not in caught.value.message


def landlock_version():
    return ctypes.CDLL(None).syscall(444, None, 0, 1)


def test_the_process_reaches_no_network_no_file_and_no_other_process(tmp_path, monkeypatch):
    import socket

    secret = tmp_path / "tenants.db"
    secret.write_text("secret")
    with socket.create_server(("127.0.0.1", 0)) as canary:
        port = canary.getsockname()[1]
        program = HOSTILE.format(root=ROOT, secret=str(secret), port=port)
        told = subprocess.run(
            [sys.executable, "-I", "-c", program], capture_output=True, text=True, timeout=30, check=False
        )
        canary.settimeout(0.1)
        with pytest.raises(TimeoutError):
            canary.accept()
    words = told.stdout.split()
    assert len(words) == 12, told.stderr
    assert words[:7] == ["PermissionError"] * 7, told.stdout + told.stderr
    assert words[7:9] == ["MemoryError", "done"]
    if landlock_version() >= 1:
        assert "done" not in words[9:], told.stdout


def test_the_process_is_told_nothing_of_ours(monkeypatch):
    monkeypatch.setenv("MEMLANE_NODE_KEY", "sentinel-key")
    seen = []
    real = subprocess.Popen

    class Watched(real):
        def __init__(self, *arguments, **options):
            seen.append(options["env"])
            super().__init__(*arguments, **options)

    monkeypatch.setattr(subprocess, "Popen", Watched)
    extract(b"hello", "a.txt", None, LIMITS)
    assert "sentinel-key" not in str(seen)
    assert not any(name.startswith("MEMLANE") for name in seen[0])

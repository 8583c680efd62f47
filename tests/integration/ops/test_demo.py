import re
import subprocess
import sys

import psutil
import pytest

pytestmark = pytest.mark.timeout(240)


def test_the_demo_answers_with_citations_and_leaves_nothing():
    command = [sys.executable, "-m", "ops", "demo", "--once"]

    said = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)

    assert said.returncode == 0, said.stderr
    assert said.stdout.count("Q: ") == 3
    assert len(re.findall(r"^  \[1\] ", said.stdout, re.MULTILINE)) == 3
    assert len(re.findall(r"context \d+ tokens : sources \d+ tokens = 1 : \d", said.stdout)) == 3
    (port,) = re.findall(r"The API is at http://127\.0\.0\.1:(\d+)", said.stdout)
    listening = [one for one in psutil.net_connections("tcp") if one.status == psutil.CONN_LISTEN]
    assert int(port) not in {one.laddr.port for one in listening}

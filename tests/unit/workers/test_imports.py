"""A node holds no data, and its idle processes are small."""

import subprocess
import sys

import pytest

LOADED = "import sys\n{imports}\nprint(*sorted(name.partition('.')[0] for name in sys.modules))"


def loaded(imports):
    command = [sys.executable, "-c", LOADED.format(imports=imports)]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


@pytest.fixture(scope="module")
def node():
    return loaded("import workers.run, workers.node_tasks, services.wiring_node")


@pytest.mark.parametrize("name", ["store", "sqlite3", "onnxruntime", "tokenizers", "flask"])
def test_a_node_worker_does_not_load(node, name):
    assert name not in node


@pytest.mark.parametrize("name", ["celery", "redis", "numpy", "rich", "store"])
def test_the_supervisor_does_not_load(name):
    assert name not in loaded("import ops.commands, ops.up")

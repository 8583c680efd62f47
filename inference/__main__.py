"""`python -m inference`: the embedded model server."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from pathlib import Path

from memory.errors import MemlaneError


def main() -> int:
    """Read the command line and serve.

    Returns:
        0 after SIGTERM, 1 when the server cannot start.
    """
    parser = argparse.ArgumentParser(prog="python -m inference", description=__doc__)
    parser.add_argument("--interactive-port", type=int, required=True)
    parser.add_argument("--background-port", type=int, required=True)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--model", type=Path, help="the ONNX file, when not the installed package's")
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s %(message)s", stream=sys.stderr)
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    # Before numpy is imported: its own threads spin after every small product and took 90 CPU ms of each reranking.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from inference.process import serve

    ports = {"interactive": given.interactive_port, "background": given.background_port}
    try:
        serve(given.host, ports, os.environ.get("MEMLANE_NODE_KEY", ""), given.model)
    except MemlaneError as error:
        logging.getLogger("inference").error("%s", error.message)
        return 1
    except OSError as error:
        logging.getLogger("inference").error("Cannot listen on %s: %s.", given.host, error.strerror)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

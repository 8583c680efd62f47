"""`python -m ops.heard [KEY]`: exit 0 while the broker has heard of somebody; the health check of a container.

KEY is `heartbeat:<lane>@<node>` for a worker and `node:<node>` for an agent; both live for 10 s. Without one it
says whether the broker answers.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence

from redis.exceptions import RedisError

from memory.errors import InvalidInput
from services.environment import read_settings
from workers.transport import connect


def main(arguments: Sequence[str] | None = None, environ: Mapping[str, str] = os.environ) -> int:
    """Ask the broker once.

    Args:
        arguments: of the command line; None for this process's.
        environ: of the process.

    Returns:
        0 when it was heard of, else 1.
    """
    parser = argparse.ArgumentParser(prog="python -m ops.heard", description=__doc__)
    parser.add_argument("key", nargs="?", help="of a heartbeat")
    key = parser.parse_args(arguments).key
    try:
        client = connect(read_settings(environ))
        heard = client.exists(key) if key else client.ping()
    except (RedisError, InvalidInput) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stderr.write("" if heard else f"nothing was heard of {key} in its lifetime\n")
    return 0 if heard else 1


if __name__ == "__main__":
    sys.exit(main())

"""`python -m nodeagent --node NAME`: the daemon of a node. It needs REDIS_URL, the address of the broker, alone."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from memory.errors import InvalidInput
from memory.fleet import Role
from memory.secret_files import with_secrets
from memory.settings import Settings, environment_name, from_environ
from nodeagent.agent import Agent
from nodeagent.broker import Broker
from nodeagent.commands import ServerCommand, combined, parse_serve, read_commands
from nodeagent.servers import HANG_SECONDS, Servers

# EX_CONFIG: starting it again the same way cannot help.
EXIT_CONFIG = 78


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run the agent until SIGTERM or SIGINT.

    Args:
        arguments: of the command line.
        environ: of the process.

    Returns:
        The exit code.
    """
    given = _arguments(arguments)
    try:
        told = with_secrets(environ, lambda path: Path(path).read_text(encoding="utf-8"))
        settings = from_environ(told, **({"node": given.node} if given.node else {}))
        logging.basicConfig(level=settings.log_level.upper(), format="%(levelname)s %(name)s: %(message)s", force=True)
        agent = _agent(settings, environ, _commands(given.serve, given.servers))
    except InvalidInput as error:
        sys.stderr.write(f"{error.message}\n")
        return EXIT_CONFIG
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: agent.stop())
    agent.run()
    return 0


def _arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m nodeagent", description=__doc__)
    parser.add_argument("--node", help="name of the node (MEMLANE_NODE)")
    parser.add_argument(
        "--serve",
        action="append",
        default=[],
        metavar="ROLE=COMMAND",
        help="keep a model server running: embed, rerank or llm, and its command; may be given for each role",
    )
    parser.add_argument("--servers", type=Path, help="TOML file of such commands, with a table for each role")
    given = parser.parse_args(arguments)
    if given.node is not None and not given.node.strip():
        parser.error("--node is empty: give the node's name as the inventory has it, for example --node card0-node0")
    return given


def _commands(serve: Sequence[str], file: Path | None) -> tuple[ServerCommand, ...]:
    try:
        text = file.read_text(encoding="utf-8") if file is not None else ""
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{file} cannot be read: {error}", field="servers") from error
    return combined((*map(parse_serve, serve), *read_commands(text)))


def _agent(settings: Settings, environ: Mapping[str, str], commands: tuple[ServerCommand, ...]) -> Agent:
    if not settings.redis_url:
        raise InvalidInput("Set REDIS_URL to the broker's address.", field="REDIS_URL")
    urls: Mapping[Role, str] = {"embed": settings.embed_url, "rerank": settings.rerank_url, "llm": settings.llm_url}
    # Its default is the embedded model's; a node with another one must not have to say so.
    known = environment_name("embed_dimension") in environ
    return Agent(
        settings.node,
        broker=Broker(settings.redis_url, settings.node),
        servers=Servers(commands, hang_seconds=HANG_SECONDS / settings.time_factor),
        key=settings.node_key,
        urls=urls,
        dimension=settings.embed_dimension if known else None,
        factor=settings.time_factor,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))

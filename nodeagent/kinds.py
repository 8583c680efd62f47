"""Whether a model server still is what it was: its kind, the length of its vectors, its name, its very numbers.

Everything is compared with what this server said first since the agent's start, so that an agent needs no settings. A
model is changed on purpose by starting the agent again.
"""

from __future__ import annotations

from dataclasses import dataclass

from inference.chat import check_chat
from inference.wire import PROBE, Floats, Kind, ModelServer
from memory.errors import ModelRefused, ModelTimeout, WrongModel
from memory.fleet import Role

# The same model on other hardware, or quantised otherwise, stays above; another model falls far below.
SAME_COSINE = 0.999
KINDS: dict[Role, Kind] = {"embed": "embedding", "rerank": "rerank"}


@dataclass(slots=True)
class First:
    """What a server said first."""

    model: str = ""
    dimension: int | None = None
    vector: Floats | None = None  # (dimension,), of length 1, of a known text


def check_model(server: ModelServer, first: First, *, timeout: float) -> str:
    """Compare the name of a server's model with the first one.

    Args:
        server: which.
        first: filled in when it is empty.
        timeout: seconds.

    Returns:
        The name; empty when the server does not tell names.

    Raises:
        WrongModel: it is another one.
        ModelError: as of `ModelServer.models`.
    """
    try:
        names = server.models(timeout=timeout)
    except WrongModel:
        return first.model  # not every embedding server has this call, and the numbers tell as much
    name = names[0] if names else ""
    first.model = first.model or name
    if name and name != first.model:
        raise WrongModel(f"The model has changed from {first.model} to {name}; start the agent again if that is meant.")
    return name


def check_kind(server: ModelServer, role: Role, first: First, *, timeout: float) -> None:
    """Let a server do its task once and compare the outcome with the first one.

    Args:
        server: which.
        role: what it is there for.
        first: filled in when it is empty.
        timeout: seconds in all.

    Raises:
        WrongModel: another kind, pooling off, another dimension or another model.
        ModelError: as of `ModelServer.check_kind`; an LLM server must answer a question with something.
    """
    if role == "llm":
        check_chat(server, timeout=timeout)
        return
    server.check_kind(KINDS[role], timeout=timeout)
    if role == "embed":
        _compare(server.embed([PROBE], timeout=timeout)[0], first, server.url)


def _compare(vector: Floats, first: First, url: str) -> None:
    if first.dimension is not None and len(vector) != first.dimension:
        known = "MEMLANE_EMBED_DIMENSION says" if first.vector is None else "before"
        raise WrongModel(f"{url} answers vectors of {len(vector)} numbers, not {first.dimension} as {known}.")
    if first.vector is None:
        first.dimension, first.vector = len(vector), vector
        return
    cosine = float(vector @ first.vector)
    if cosine < SAME_COSINE:
        raise WrongModel(
            f"The model has changed: a known text now embeds to something else (cosine {cosine:.3f}); "
            "start the agent again if that is meant."
        )


def reason_of(error: Exception, node: str) -> str:
    """Put a failure into words for a person.

    Args:
        error: of a probe.
        node: where.

    Returns:
        One sentence that names the node where the server was started wrongly.
    """
    words = str(error)
    if isinstance(error, WrongModel) and error.details.get("pooling") == "off":
        return f"pooling is off on node {node}: {words.partition(': ')[2]}"
    if isinstance(error, ModelTimeout):
        return f"the server does not answer in time: {words}"
    if isinstance(error, ModelRefused) and error.details.get("status") not in (401, 403):
        return f"the server gives answers that cannot be used: {words}"
    return words

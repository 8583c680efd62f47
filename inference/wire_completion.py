"""What a language model answered, checked before anybody believes it. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory.errors import ModelRefused
from memory.letters import Shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """One answer of `/v1/chat/completions`."""

    content: str  # may be empty
    finish_reason: str  # "stop" or "length"; empty when it is not said
    shown: Shown  # the likeliest first tokens; none when the server tells no probabilities
    model: str  # what the server calls itself
    prompt_tokens: int  # 0 when it is not said
    completion_tokens: int


def read_completion(answer: Any) -> Completion:
    """Read the answer of a chat call.

    Args:
        answer: `{choices: [{message: {content}, finish_reason, logprobs: {content: [{top_logprobs}]}}], model, usage}`.

    Returns:
        What was answered; what a server may leave out is empty.

    Raises:
        ModelRefused: it has no choice with a message.
    """
    body = _mapping(answer)
    choices = body.get("choices")
    choice = _mapping(choices[0]) if isinstance(choices, list) and choices else {}
    message = choice.get("message")
    if not isinstance(message, Mapping):
        raise ModelRefused("The model server's answer has no choice with a message.")
    content = message.get("content")
    usage = _mapping(body.get("usage"))
    return Completion(
        content=content if isinstance(content, str) else "",
        finish_reason=str(choice.get("finish_reason") or ""),
        shown=_first_tokens(choice.get("logprobs")),
        model=_name(body.get("model")),
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
    )


def _first_tokens(logprobs: Any) -> Shown:
    tokens = _mapping(logprobs).get("content")
    first = _mapping(tokens[0]) if isinstance(tokens, list) and tokens else {}
    entries = first.get("top_logprobs")
    found = (_token(_mapping(entry)) for entry in entries) if isinstance(entries, list) else ()
    return tuple(one for one in found if one is not None)


def _token(entry: Mapping[str, Any]) -> tuple[str, float] | None:
    """Return a token with the logarithm of its probability; None for what is no probability, as infinity in JSON is."""
    token, logarithm = entry.get("token"), entry.get("logprob")
    if not isinstance(token, str) or isinstance(logarithm, bool) or not isinstance(logarithm, int | float):
        return None
    # Rounding takes a certain token a little above 1.
    return (token, min(0.0, float(logarithm))) if math.isfinite(logarithm) and logarithm < 0.001 else None


def _name(value: Any) -> str:
    """Return what a server calls its model; where that is the path of a file, its last part."""
    name = value if isinstance(value, str) else ""
    return name.rpartition("/")[2] if name.startswith("/") else name


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0

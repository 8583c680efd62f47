"""What a language model is asked over the wire: to choose a letter, or to write a text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inference.wire import ModelServer
from inference.wire_completion import Completion, read_completion
from memory.errors import BadAnswer
from memory.letters import Letters, read_letters

Message = Mapping[str, str]  # role, content

# llama-server shows the likeliest tokens before the grammar, so that others stand between the letters.
TOP_TOKENS = 20
# Each request: the likeliest answer, no thinking aloud, and the beginning of the prompt kept for the next one.
_ALWAYS = {"temperature": 0, "chat_template_kwargs": {"enable_thinking": False}, "cache_prompt": True}

PROBE_LETTERS = ("A", "B")
PROBE_MESSAGES: tuple[Message, ...] = (
    {"role": "user", "content": "Which word names an animal?\nA: dog\nB: copper\nAnswer with the letter."},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A text that a model wrote."""

    text: str  # never empty
    model: str  # what the server calls itself
    prompt_tokens: int
    completion_tokens: int


def choose(
    server: ModelServer, messages: Sequence[Message], letters: Sequence[str], *, timeout: float | None = None
) -> Letters:
    """Have a model choose among letters, and say how sure it is of each.

    Args:
        server: with a language model.
        messages: role and content each; the last one asks for a letter.
        letters: what may be answered, single letters that are single tokens.
        timeout: seconds in all, when other than the client's.

    Returns:
        The probability of each letter, before the grammar, renormalised over the letters.

    Raises:
        BadAnswer: something else was answered, and no letter's probability can be told.
        ModelError: as of `ModelServer.chat`.
    """
    answer = read_completion(server.chat(_choice(messages, letters), timeout=timeout))
    probabilities = read_letters(answer.content, answer.shown, letters)
    return Letters(probabilities=probabilities, model=answer.model, prompt_tokens=answer.prompt_tokens)


def write(
    server: ModelServer,
    messages: Sequence[Message],
    *,
    schema: Mapping[str, Any] | None = None,
    max_tokens: int,
    timeout: float | None = None,
) -> Written:
    """Have a model write a text.

    Args:
        server: with a language model.
        messages: role and content each.
        schema: JSON schema that the text has to follow; None for free text.
        max_tokens: length that is too long.
        timeout: seconds in all, when other than the client's.

    Returns:
        The text.

    Raises:
        BadAnswer: it is empty, or was cut at its greatest length; then `salvage` has what there is.
        ModelError: as of `ModelServer.chat`.
    """
    body: dict[str, Any] = {"messages": list(messages), "max_tokens": max_tokens, **_ALWAYS}
    if schema is not None:
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": "answer", "schema": dict(schema)}}
    answer = read_completion(server.chat(body, timeout=timeout))
    if not answer.content.strip():
        raise BadAnswer("The model answered nothing.", reason="empty")
    if answer.finish_reason == "length":
        message = f"The model's answer was cut after {max_tokens} tokens."
        raise BadAnswer(message, reason="length", salvage=answer.content)
    return Written(
        text=answer.content,
        model=answer.model,
        prompt_tokens=answer.prompt_tokens,
        completion_tokens=answer.completion_tokens,
    )


def check_chat(server: ModelServer, *, timeout: float | None = None) -> Completion:
    """Ask the server for one letter: the check at the start of whoever uses it, and of whoever doubts it.

    A server that writes something else than a letter is one that chats; each of its answers is judged by itself.

    Args:
        server: which.
        timeout: seconds in all, when other than the client's.

    Returns:
        What it answered.

    Raises:
        BadAnswer: it answers nothing, as a server whose model thinks aloud first.
        ModelError: as of `ModelServer.chat`; `WrongModel` when the server does not chat.
    """
    answer = read_completion(server.chat(_choice(PROBE_MESSAGES, PROBE_LETTERS), timeout=timeout))
    if not answer.content.strip():
        raise BadAnswer("The server answers a question with nothing; check its model and its chat template.")
    return answer


def _choice(messages: Sequence[Message], letters: Sequence[str]) -> dict[str, Any]:
    return {
        "messages": list(messages),
        "max_tokens": 1,
        "grammar": "root ::= " + " | ".join(json.dumps(letter) for letter in letters),
        "logprobs": True,
        "top_logprobs": TOP_TOKENS,
        **_ALWAYS,
    }

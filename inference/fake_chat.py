"""A language model made of rules: chooses letters as told, and writes down the facts that a text marks as such."""

from __future__ import annotations

import json
import math
import re
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from inference.fake_words import split_words
from inference.wire_requests import Refusal

# Says how likely each letter is, given the whole prompt and the letters that are allowed.
Judge = Callable[[str, Sequence[str]], Mapping[str, float]]

# A line of a document with this mark is one fact.
FACT_MARK = "FACT:"
CERTAIN = 0.97

_DOCUMENT = re.compile(r"<document\b[^>]*>(.*?)</document>", re.DOTALL)
_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"')
_TOKEN = re.compile(r"\s*\S+\s*")
# Of a schema's fields, those that hold what the fact says; every other text is left empty.
_SAYING = frozenset({"text", "statement", "fact", "quote"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the fake answers to one request, whatever was asked for; each way to be wrong has been seen."""

    content: str = ""
    tokens: Mapping[str, float] | None = None  # probability of the first token; None: no logprobs in the answer
    finish_reason: str = "stop"


@dataclass(frozen=True, slots=True)
class _Rule:
    words: str
    reply: Reply


def last_letter(prompt: str, letters: Sequence[str]) -> Mapping[str, float]:
    """Choose the last letter, which judges have for "nothing of all that"."""
    return likely(letters[-1], letters)


def likely(letter: str, letters: Sequence[str], share: float = CERTAIN) -> Mapping[str, float]:
    """Return probabilities in which one letter stands out.

    Args:
        letter: of the letters.
        letters: all of them.
        share: probability of the one letter.

    Returns:
        The probability of each, sum 1.
    """
    rest = (1 - share) / max(1, len(letters) - 1)
    return {one: share if one == letter else rest for one in letters}


class FakeChat:
    """What a fake model server's language model answers. Thread safe."""

    def __init__(self, judge: Judge = last_letter) -> None:
        """Begin with a way to judge.

        Args:
            judge: for every question with letters that nothing else is said for.
        """
        self.judge = judge
        self._next: deque[Reply] = deque()
        self._rules: list[_Rule] = []
        self._lock = threading.Lock()

    def answer_next(self, *replies: Reply) -> None:
        """Answer the next requests with these, one each, in this order; rules go first."""
        with self._lock:
            self._next.extend(replies)

    def answer_on(self, words: str, reply: Reply | None) -> None:
        """Answer every request whose prompt has these words with this reply; None ends that."""
        with self._lock:
            self._rules = [rule for rule in self._rules if rule.words != words]
            if reply is not None:
                self._rules.append(_Rule(words, reply))

    def obey(self, order: Mapping[str, Any]) -> None:
        """Do what a control request says.

        Args:
            order: `{"words": "", "reply": {...} or null}` with fields of `Reply`.

        Raises:
            ValueError: it says anything else.
        """
        reply = order.get("reply")
        if set(order) != {"words", "reply"} or not set(reply or {}) <= {one.name for one in fields(Reply)}:
            raise ValueError(f"not an order: {sorted(order)}")
        self.answer_on(str(order["words"]), None if reply is None else Reply(**reply))

    def complete(self, body: Mapping[str, Any], *, model: str, limit: int = 0) -> dict[str, Any]:
        """Answer a request of `/v1/chat/completions`.

        Args:
            body: of the request.
            model: name to answer with.
            limit: tokens of the context, two characters each; 0 for no limit.

        Returns:
            The answer's JSON.

        Raises:
            Refusal: there are no messages, or they are over the context.
        """
        texts = prompt_texts(body)
        if not texts:
            raise Refusal(400, "'messages' is required")
        prompt = "\n".join(texts)
        tokens = -(-len(prompt) // 2)
        if limit and tokens >= limit:
            raise _OverContext(tokens, limit)
        reply = self._scripted(prompt) or self._reply(prompt, body)
        content, cut = _cut(reply.content, body.get("max_tokens"))
        return _answer(reply, content, "length" if cut else reply.finish_reason, model, tokens)

    def _scripted(self, prompt: str) -> Reply | None:
        with self._lock:
            for rule in self._rules:
                if rule.words in prompt:
                    return rule.reply
            return self._next.popleft() if self._next else None

    def _reply(self, prompt: str, body: Mapping[str, Any]) -> Reply:
        if grammar := body.get("grammar"):
            letters = [json.loads(literal) for literal in _LITERAL.findall(str(grammar))]
            tokens = self.judge(prompt, letters)
            return Reply(content=max(tokens, key=tokens.__getitem__), tokens=tokens if body.get("logprobs") else None)
        if schema := _schema(body):
            return Reply(content=json.dumps(_filled(schema, marked_facts(prompt)), ensure_ascii=False))
        return Reply(content=f"I was told {len(split_words(prompt))} words, and have this answer to them.")


class _OverContext(Refusal):
    def __init__(self, tokens: int, limit: int) -> None:
        words = f"request ({tokens} tokens) exceeds the available context size ({limit} tokens), try increasing it"
        super().__init__(400, words)
        self._numbers = {"n_prompt_tokens": tokens, "n_ctx": limit}

    @property
    def body(self) -> dict[str, Any]:
        told = {"code": self.status, "message": self.message, "type": "exceed_context_size_error", **self._numbers}
        return {"error": told}


def prompt_texts(body: Mapping[str, Any]) -> list[str]:
    """Return the contents of a request's messages, in order; none when it is of another kind."""
    messages = body.get("messages")
    entries = [one for one in messages if isinstance(one, Mapping)] if isinstance(messages, list) else []
    return [one["content"] for one in entries if isinstance(one.get("content"), str)]


def marked_facts(prompt: str) -> list[str]:
    """Return the facts that a prompt's documents mark with `FACT:`, or those of the whole prompt without documents."""
    parts = _DOCUMENT.findall(prompt) or [prompt]
    lines = (line.partition(FACT_MARK) for part in parts for line in part.splitlines())
    return [fact.strip() for _, mark, fact in lines if mark and fact.strip()]


def _schema(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    wanted = body.get("response_format") or {}
    schema = wanted.get("json_schema", {}).get("schema") or wanted.get("schema") or body.get("json_schema")
    return schema if isinstance(schema, Mapping) else None


def _filled(schema: Mapping[str, Any], facts: Sequence[str], name: str = "", fact: str = "") -> Any:
    """Make the plainest value that a schema allows, with one item for each fact in its outermost list of objects."""
    if "enum" in schema:
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    if options := schema.get("anyOf") or schema.get("oneOf"):
        empty = any(option.get("type") == "null" for option in options)
        return None if empty else _filled(options[0], facts, name, fact)
    kinds = schema.get("type")
    kind = kinds[0] if isinstance(kinds, list) else kinds
    if isinstance(kinds, list) and "null" in kinds:
        return None
    if kind == "object":
        return {key: _filled(part, facts, key, fact) for key, part in schema.get("properties", {}).items()}
    if kind == "array":
        items = schema.get("items", {})
        return [_filled(items, (), name, one) for one in facts] if items.get("type") == "object" else []
    plain = {"number": 0.9, "integer": 1, "boolean": False, "null": None}
    return plain.get(str(kind), fact if name in _SAYING else "")


def _cut(content: str, most: Any) -> tuple[str, bool]:
    if not isinstance(most, int) or most < 0:
        return content, False
    tokens = _TOKEN.findall(content)
    return ("".join(tokens[:most]), True) if len(tokens) > most else (content, False)


def _answer(reply: Reply, content: str, finish_reason: str, model: str, tokens: int) -> dict[str, Any]:
    choice: dict[str, Any] = {
        "index": 0,
        "finish_reason": finish_reason,
        "message": {"role": "assistant", "content": content},
    }
    if reply.tokens is not None:
        choice["logprobs"] = {"content": [_logprobs(reply.tokens)]}
    written = len(_TOKEN.findall(content))
    usage = {"prompt_tokens": tokens, "completion_tokens": written, "total_tokens": tokens + written}
    return {"object": "chat.completion", "model": model, "choices": [choice], "usage": usage}


def _logprobs(tokens: Mapping[str, float]) -> dict[str, Any]:
    top = [
        {"token": token, "logprob": math.log(share) if share > 0 else -3.4e38}
        for token, share in sorted(tokens.items(), key=lambda one: -one[1])
    ]
    return {**top[0], "top_logprobs": top} if top else {"token": "", "logprob": 0.0, "top_logprobs": []}

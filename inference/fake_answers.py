"""What a fake model server answers to each call, faults apart. Pure but for the language model's script."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from inference.fake_chat import FakeChat, prompt_texts
from inference.fake_words import split_words, word_overlaps, word_vectors
from inference.wire_requests import Refusal, embeddings_body, read_embeddings, read_rerank, rerank_body
from memory.fleet import Role

MODEL = "fake-words"


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What a fake model server is able to do."""

    dimension: int = 384  # length of a vector
    limit: int = 0  # tokens of the physical batch and of the context, two characters each; 0 for no limit
    roles: Collection[Role] = ("embed", "rerank", "llm")  # calls of others are refused with 501, as by llama-server
    chat: FakeChat = field(default_factory=FakeChat)


def model_texts(body: Mapping[str, Any]) -> list[str]:
    """Return the texts that a model call carries."""
    found = body.get("input") or body.get("documents") or prompt_texts(body)
    return [text for text in (found if isinstance(found, list) else [found]) if isinstance(text, str)]


def role_of(call: str) -> Role | None:
    """Return which model a call is for; None when it is for none."""
    return _ROLES.get(call)


def answer_call(call: str, body: dict[str, Any], offer: Offer) -> dict[str, Any]:
    """Answer a model call.

    Args:
        call: method and path.
        body: of the request.
        offer: what the server is able to do.

    Returns:
        The answer's JSON.

    Raises:
        Refusal: it is not to be answered.
    """
    role = role_of(call)
    if role is None:
        raise Refusal(404, "File Not Found")
    if role not in offer.roles:
        raise Refusal(501, f"This server does not support {_NAMES[role]}; start it with other flags")
    return _ANSWERS[role](body, offer)


def _embeddings(body: dict[str, Any], offer: Offer) -> dict[str, Any]:
    _refuse_long(body, offer.limit)
    asked = read_embeddings(body)
    tokens = sum(len(split_words(text)) for text in asked.texts)
    vectors = word_vectors(asked.texts, offer.dimension)
    return embeddings_body(vectors, model=asked.model or MODEL, base64=asked.base64, tokens=tokens)


def _rerank(body: dict[str, Any], offer: Offer) -> dict[str, Any]:
    _refuse_long(body, offer.limit)
    asked = read_rerank(body)
    scores = word_overlaps(asked.query, asked.passages)
    tokens = sum(len(split_words(text)) for text in (asked.query, *asked.passages))
    return rerank_body(scores, model=asked.model or MODEL, top_n=asked.top_n, tokens=tokens)


def _chat(body: dict[str, Any], offer: Offer) -> dict[str, Any]:
    return offer.chat.complete(body, model=str(body.get("model") or MODEL), limit=offer.limit)


def _refuse_long(body: dict[str, Any], limit: int) -> None:
    """Refuse what is over the physical batch, as llama-server does: with a 500 and the numbers in words."""
    if not limit:
        return
    query = str(body.get("query", ""))
    tokens = max((-(-len(query + text) // 2) for text in model_texts(body)), default=0)
    if tokens > limit:
        words = "is too large to process. increase the physical batch size"
        raise Refusal(500, f"input ({tokens} tokens) {words} (current batch size: {limit})")


_ROLES: Mapping[str, Role] = {
    "POST /v1/embeddings": "embed",
    "POST /v1/rerank": "rerank",
    "POST /v1/chat/completions": "llm",
}
_NAMES: Mapping[Role, str] = {"embed": "embeddings", "rerank": "reranking", "llm": "chat completions"}
_ANSWERS: Mapping[Role, Callable[[dict[str, Any], Offer], dict[str, Any]]] = {
    "embed": _embeddings,
    "rerank": _rerank,
    "llm": _chat,
}

import logging
from types import SimpleNamespace

import pytest

from memory.errors import BrokerDown
from services.node import no_peers
from services.node_answers import Asked, answer_embed, answer_rerank

FUTURE = 10_000_000


class AwayReplies:
    """The way back to the host while the broker is away."""

    def __init__(self, *, at):
        self.at = at

    def now(self):
        if self.at == "asked":
            raise BrokerDown()
        return 0

    def push(self, reply, answer, *, keep_seconds):
        raise BrokerDown()


class OpenGate:
    def ahead(self):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *failed):
        return None


@pytest.mark.parametrize("at", ["asked", "answered"])
def test_an_answer_that_cannot_be_sent_is_one_line_in_the_log(at, caplog):
    served = SimpleNamespace(gate=OpenGate(), call=lambda ask, in_haste: {"vectors": [], "scores": []})
    node = SimpleNamespace(name="a", embedder=served, reranker=served, peers=no_peers, replies=AwayReplies(at=at))
    asked = Asked(reply="r", deadline=FUTURE)

    with caplog.at_level(logging.WARNING, logger="services.node_answers"):
        answer_embed(node, asked, ["text"])
        answer_rerank(node, asked, "query", ["text"], None)

    assert caplog.messages == [
        f"an answer to {task} could not be sent: the broker cannot be reached"
        for task in ("embed.texts", "rerank.pairs")
    ]

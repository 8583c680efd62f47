import pytest

from memory.settings import Settings
from services import node_answers
from workers import node_tasks
from workers.app import make_app
from workers.in_flight import InFlight

ASKED = {"reply": "reply:1", "deadline": 1}


@pytest.mark.parametrize(
    ("task", "answer", "question"),
    [
        ("embed.texts", "answer_embed", {"texts": ["a"]}),
        ("rerank.pairs", "answer_rerank", {"query": "a", "passages": ["b"]}),
    ],
)
def test_a_question_that_somebody_waits_for_is_counted_while_it_is_answered(
    task, answer, question, monkeypatch, tmp_path
):
    app = make_app(Settings(data_dir=str(tmp_path)))
    in_flight = InFlight(None, worker="interactive@a1", keep_seconds=9.0)
    counted = []
    monkeypatch.setattr(node_answers, answer, lambda *_: counted.append(in_flight.calls))
    node_tasks.register(app, None, in_flight)

    app.tasks[task](**ASKED, **question)

    assert counted == [1]
    assert in_flight.calls == 0

from benchmarks.locomo import Asked, fitting, message, questions, sessions, share_found, summary

SAMPLE = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ann",
        "session_10_date_time": "9:05 am on 3 June, 2023",
        "session_10": [{"speaker": "Ann", "dia_id": "D10:1", "text": "Back."}],
        "session_2_date_time": "1:56 pm on 8 May, 2023",
        "session_2": [
            {"speaker": "Ann", "dia_id": "D2:1", "text": "Hi!"},
            {"speaker": "Bob", "dia_id": "D2:2", "text": "Look.", "blip_caption": "a boat"},
        ],
    },
    "qa": [
        {"question": "What did Bob show?", "answer": "a boat", "evidence": ["D2:2; D10:1"], "category": 4},
        {"question": "Who is Eve?", "adversarial_answer": "x", "evidence": ["D2:1"], "category": 5},
        {"question": "Why?", "answer": "", "evidence": [], "category": 3},
        {"question": "When?", "answer": "", "evidence": ["D9:9"], "category": 2},
    ],
}


def test_sessions_come_in_order_with_their_time():
    found = [(name, when.isoformat()) for name, when, _ in sessions(SAMPLE["conversation"])]
    assert found == [("session_2", "2023-05-08T13:56:00+00:00"), ("session_10", "2023-06-03T09:05:00+00:00")]


def test_a_shared_picture_is_part_of_the_message():
    ((_, when, turns), _) = sessions(SAMPLE["conversation"])
    sent = message(turns[1], when)
    assert sent["content"] == "Look. [shares a boat]"
    assert (sent["name"], sent["timestamp"]) == ("Bob", "2023-05-08T13:56:00Z")


def test_only_scored_questions_that_name_evidence_are_asked():
    found = questions(SAMPLE)
    assert [question.text for question in found] == ["What did Bob show?", "When?"]
    assert found[0].evidence == {("session_2", 1), ("session_10", 0)}


def test_evidence_counts_once_however_often_it_is_found():
    evidence = frozenset({("session_2", 1), ("session_10", 0)})
    assert share_found(evidence, [{("session_2", 1)}, {("session_2", 1), (None, None)}]) == 0.5
    assert share_found(evidence, []) == 0


def test_results_fit_into_a_budget_whole_and_in_their_order():
    assert fitting([300, 420, 1], 720) == 2
    assert fitting([721, 1], 720) == 0
    assert fitting([], 720) == 0


def test_categories_are_pooled_over_questions():
    asked = [
        Asked(category=4, shares=(0.0, 1.0, 1.0), within=1.0, tokens=10, milliseconds=2.0, read=15, returned=15),
        Asked(category=4, shares=(0.0, 0.0, 1.0), within=0.5, tokens=20, milliseconds=4.0, read=0, returned=15),
        Asked(category=2, shares=(0.0, 0.0, 0.0), within=0.0, tokens=30, milliseconds=6.0, read=9, returned=0),
    ]
    lines = summary(asked)
    assert lines["single-hop"] == "R@5 0.000  R@10 0.500  R@15 1.000  n 2"
    assert lines["pooled"].startswith("R@5 0.000  R@10 0.333  R@15 0.667")
    assert lines["open-domain"] == "n 0"
    assert lines["within 720 tokens"] == "0.500"
    assert lines["tokens returned"] == "mean 20 in the first 15"
    assert lines["nothing returned"] == "1 of 3 questions"
    assert lines["reranking skipped"] == "33.3% of the questions"
    assert lines["search over HTTP"] == "p50 4.0 ms, p95 5.8 ms"

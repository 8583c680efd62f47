from workers.transport import shown


def test_only_whose_and_which_is_shown_of_a_payload():
    payload = {"tenant": "acme", "item": 12, "attempt": 2, "texts": ["SECRET"], "vectors": "AAAA", "query": "SECRET"}

    assert shown(payload) == "tenant=acme item=12 attempt=2"


def test_a_question_that_somebody_waits_for_shows_nothing():
    assert shown({"reply": "reply:1", "deadline": 1, "texts": ["SECRET"]}) == ""


def test_a_text_under_a_shown_name_is_not_shown_when_it_is_no_plain_value():
    assert shown({"tenant": ["SECRET"], "item": None}) == ""

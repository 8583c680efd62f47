"""`memory.token_estimate` against the tokenizer of the embedded model."""

import pytest

from inference.tokens import token_ids
from memory.token_estimate import TokenCosts, estimate_tokens

TEXTS = {
    "English": "We moved the office to Oslo last year and opened a second one in Bergen. " * 5,
    "German": "Die Straßenbahnhaltestelle liegt unmittelbar neben dem Verwaltungsgebäude. " * 5,
    "Chinese": "我们在奥斯陆的新办公室有四十个座位。" * 10,
    "Japanese": "新しいオフィスは来週オスロに開きます。" * 10,
    "Korean": "우리는 작년에 오슬로로 이사했습니다. " * 5,
    "Russian": "Мы переехали в Осло в прошлом году. " * 5,
    "Hindi": "हम पिछले साल ओस्लो चले गए। " * 5,
    "code": 'call_025(alpha=25, beta="625")\n' * 10,
    "numbers": "837465102 99812345 120000007 " * 10,
    "consonants": "bcdfgkzb kzbgcdfg " * 10,
}


def wordpieces(text: str) -> int:
    """Count what the model reads; `count_tokens` itself estimates the words that the vocabulary cannot spell."""
    return len(token_ids([text], limit=10_000)[0]) - 2


@pytest.mark.parametrize("name", TEXTS)
def test_the_estimate_is_hardly_ever_too_low(name: str) -> None:
    assert wordpieces(TEXTS[name]) <= 1.1 * estimate_tokens(TEXTS[name])


def test_english_is_not_estimated_far_too_high() -> None:
    assert estimate_tokens(TEXTS["English"]) <= 1.4 * wordpieces(TEXTS["English"])


def test_running_costs_agree_with_the_estimate() -> None:
    text = " ".join(TEXTS.values())
    costs = TokenCosts(text)
    assert costs.between(0, len(text)) == pytest.approx(estimate_tokens(text), rel=1e-4)
    end = costs.furthest(0, 50)
    assert costs.between(0, end) <= 50.001 < costs.between(0, end + 1)

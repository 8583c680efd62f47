import numpy as np

from memory.answering import LONGEST_QUOTE, NOTHING_FOUND, Quote, compose


def quote(n, text, relevance=0.5, speaker=""):
    says = text.lower().strip(".").split()
    terms = (*speaker.lower().split(), *says)
    return Quote(n=n, text=f"{speaker}{text}", terms=terms, says=frozenset(says), relevance=relevance)


def scores(*values):
    return np.array(values, dtype=np.float32)


def test_the_best_sentence_comes_first_with_the_number_of_its_source():
    quotes = [quote(1, "Ann likes tea."), quote(2, "Bob moved to Oslo.")]
    assert compose(quotes, scores(0.2, 0.9)) == "Bob moved to Oslo. [2]"


def test_a_sentence_that_says_nothing_new_is_left_out():
    quotes = [quote(1, "Bob moved to Oslo."), quote(2, "Bob moved to Oslo."), quote(3, "Bob likes Oslo.")]
    assert compose(quotes, scores(0.9, 0.9, 0.85)) == "Bob moved to Oslo. [1] Bob likes Oslo. [3]"


def test_the_same_words_of_another_source_are_left_out():
    quotes = [quote(1, "Bob moved to Oslo."), quote(2, "Bob moved to Oslo.", speaker="Ann: ")]
    assert compose(quotes, scores(0.9, 0.9)) == "Bob moved to Oslo. [1]"


def test_an_answer_is_at_most_three_sentences():
    quotes = [quote(n, f"Fact number {n} stands.") for n in range(1, 7)]
    assert compose(quotes, scores(*[0.9] * 6)).count("[") == 3


def test_a_long_sentence_is_cut_at_a_word():
    answer = compose([quote(1, "word " * 200)], scores(0.9))
    assert len(answer) <= LONGEST_QUOTE + len(" ... [1]")
    assert answer.endswith("word ... [1]")


def test_no_evidence_is_said():
    assert compose([], scores()) == NOTHING_FOUND

import numpy as np

from memory.sentence_scores import against_query, for_the_whole

SENTENCES = [["the", "cat", "sleeps"], ["the", "dog", "barks", "loudly"], ["rain", "falls"]]


def test_words_alone_find_the_sentence_when_there_is_no_model():
    assert int(np.argmax(against_query(["dog", "barks"], SENTENCES, None, None))) == 1


def test_vectors_find_it_without_common_words():
    vectors = np.eye(3, dtype=np.float32)
    assert int(np.argmax(against_query(["feline"], SENTENCES, vectors, vectors[0]))) == 0


def test_the_middle_of_a_text_stands_for_it():
    vectors = np.array([[1, 0], [0.8, 0.6], [0, 1]], dtype=np.float32)
    assert int(np.argmax(for_the_whole(SENTENCES, vectors))) == 1


def test_repeated_words_stand_for_a_text_without_a_model():
    sentences = [["budget", "grew"], ["budget", "and", "staff", "grew"], ["lunch", "was", "nice"]]
    scores = for_the_whole(sentences, None)
    assert scores[2] < min(scores[0], scores[1])

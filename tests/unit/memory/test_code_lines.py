import time

import pytest

from memory.code_lines import reads_as_code


@pytest.mark.parametrize(
    "line",
    [
        "diff --git a/store/rows.py b/store/rows.py index 261b777..02ff322 100644",
        "@@ -72,6 +72,8 @@ class Store:",
        "+from collections.abc import Mapping",
        "import numpy as np",
        "def attributed(statement: str, speaker: str | None) -> str:",
        "self.places = threading.BoundedSemaphore(writers)",
        "similarity: float = field(default=0.0)",
        "if (a && b) { return x[i]; }",
        ">>> m = regex.match(r'(a)', text)",
        "|coverage| image:: https://example.org/badge.svg :alt: how much is covered",
        "+---------------+----------+ | *pgmq* | Virtual | Yes | No |",
    ],
)
def test_code_is_told_from_sentences(line):
    assert reads_as_code(line)


@pytest.mark.parametrize(
    "sentence",
    [
        "The limit is 40 kg (not 55) per crate.",
        'Answers `{"count", "memories": [{"id"}]}` with 200.',
        "Import taxes rose in May, from 4 % to 5 %.",
        "Return the parcels to the depot by Friday; the van leaves at 6:30.",
        "See https://example.org/a_b?c=d&e=[f] for the terms.",
        "E = mc2 is known to everyone.",
        "He wrote to ana@example.org & asked for <two> boxes.",
    ],
)
def test_sentences_are_not_taken_for_code(sentence):
    assert not reads_as_code(sentence)


@pytest.mark.parametrize("mark", ["`", "[", "(", "a.b", "_a", "x=", "<", "https://"])
def test_a_long_run_costs_no_more_than_its_beginning(mark):
    started = time.process_time()
    reads_as_code(mark * 200_000)
    assert time.process_time() - started < 0.5

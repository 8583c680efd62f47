import json
import random
from itertools import pairwise

import numpy as np
import pytest

from memory import filters
from store.fact_columns import FactColumns
from store.texts import Texts

CHARACTERS = "aAzZ[@ éÉßẞİıſΣς日😀\ud83dﬁÅ\0"


def parts(texts: Texts) -> list[str]:
    raw = texts.data.tobytes()
    return [raw[start:end].decode("utf-8", "surrogatepass") for start, end in pairwise(texts.starts.tolist())]


@pytest.mark.parametrize("seed", range(20))
def test_texts_are_folded_as_each_would_be_by_itself(seed):
    # given some consecutive ones of many texts
    draw = random.Random(seed)
    many = ["".join(draw.choices(CHARACTERS, k=draw.randrange(5))) for _ in range(30)]
    every, first, end = Texts.of(many), draw.randrange(10), draw.randrange(20, 31)
    some = Texts(every.starts[first : end + 1], every.data)
    # then
    assert some.casefolded is not None
    assert parts(some.casefolded) == [text.casefold() for text in many[first:end]]


def test_texts_in_ascii_are_not_copied_to_fold_them():
    texts = Texts.of(["Nord", "", "SÜD"])
    assert Texts(texts.starts[:3], texts.data).casefolded is None
    assert texts.casefolded is not None


@pytest.mark.parametrize("kind", ["metadata", "string_contains", "array_contains"])
def test_a_filter_of_many_conditions_folds_a_text_once_and_only_those_that_need_it(kind, monkeypatch):
    # given a column of which some values are not ASCII
    values = ["Oslo", "ÅS", "Bergen", "Tromsø"]
    metadata = [json.dumps({"town": [one] if kind == "array_contains" else one}) for one in values]
    columns = FactColumns.empty().with_rows(4, [(slot, '{"kind": "chunk"}', one) for slot, one in enumerate(metadata)])
    before, read, texts_of = columns.nbytes, [], Texts.of
    monkeypatch.setattr(Texts, "of", lambda texts: texts_of(read.append(text) or text for text in texts))
    asked = [{"key": "town", "value": f"ås{at or ''}", "filterType": kind, "ignoreCase": True} for at in range(200)]
    # when it is asked for many values whatever their case, and again
    for _ in range(2):
        np.testing.assert_array_equal(columns.passing(filters.parse({"OR": asked})), [False, True, False, False])
    # then each of those was read once, and what is kept is counted
    assert sorted(read) == ["tromsø", "ås"]
    assert columns.nbytes - before >= len("".join(values))

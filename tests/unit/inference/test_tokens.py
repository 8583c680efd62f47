"""BERT's tokens."""

from __future__ import annotations

import base64
import hashlib
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from inference.tokens import CLS_ID, SEP_ID, VOCAB_PATH, count_tokens, split_pieces, token_ids


def test_the_vocabulary_is_berts() -> None:
    raw = VOCAB_PATH.read_bytes()
    assert hashlib.sha256(raw).hexdigest() == "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
    lines = raw.decode().split("\n")
    assert (lines[CLS_ID], lines[SEP_ID]) == ("[CLS]", "[SEP]")


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Hello, world!", [101, 7592, 1010, 2088, 999, 102]),
        ("", [101, 102]),
        ("Café", [101, 7668, 102]),
        ("unaffable", [101, 14477, 20961, 3468, 102]),
    ],
)
def test_texts_become_the_ids_bert_was_trained_on(text: str, ids: list[int]) -> None:
    assert token_ids([text]) == [ids]


def test_long_texts_are_cut_for_the_model_and_counted_whole() -> None:
    text = "word " * 1000
    (ids,) = token_ids([text])
    assert (len(ids), ids[-1]) == (256, SEP_ID)
    assert count_tokens(text) == 1000


def test_texts_are_not_padded() -> None:
    assert [len(ids) for ids in token_ids(["a", "a b c"])] == [3, 5]


# Tokens of cl100k, counted on 2026-12-01.
UNSPACED = {
    "Thai": ("ประเทศไทยมีประชากรประมาณเจ็ดสิบล้านคนและเมืองหลวงคือกรุงเทพมหานครซึ่งตั้งอยู่ริมแม่น้ำเจ้าพระยา", 92),
    "Khmer": ("ប្រទេសកម្ពុជាមានប្រជាជនប្រមាណដប់ប្រាំពីរលាននាក់ហើយរាជធានីគឺភ្នំពេញដែលស្ថិតនៅតាមដងទន្លេមេគង្គ", 147),
    "Lao": ("ປະເທດລາວມີປະຊາກອນປະມານເຈັດລ້ານຄົນແລະນະຄອນຫຼວງແມ່ນວຽງຈັນ", 116),
    "Burmese": ("မြန်မာနိုင်ငံတွင်လူဦးရေသန်းငါးဆယ်ကျော်ရှိပြီးမြို့တော်မှာနေပြည်တော်ဖြစ်သည်", 148),
    "Korean": ("우리는작년에오슬로로이사했고새사무실에는책상이마흔개있으며두번째사무실은베르겐에열었습니다", 63),
    "emoji": ("🙂🎉🚀👩\u200d👧" * 20, 320),
    "base64": (base64.urlsafe_b64encode(random.Random(1).randbytes(900)).decode(), 858),
    "letters and digits": (hashlib.shake_256(b"").hexdigest(500), 569),
}


@pytest.mark.parametrize("times", [1, 20])
@pytest.mark.parametrize("name", UNSPACED)
def test_a_word_that_the_vocabulary_cannot_spell_counts_by_its_size(name: str, times: int) -> None:
    text, tokens = UNSPACED[name]
    assert 0.7 * tokens * times <= count_tokens(text * times) <= 1.7 * tokens * times


def test_a_long_word_leaves_its_neighbours_their_tokens() -> None:
    long = "ab1" * 100
    assert count_tokens(f"unaffable {long}, 日本") == 3 + count_tokens(long) + 3
    assert count_tokens(f"\ud800{long}") == count_tokens(f"\ufffd{long}") == count_tokens(long)


def test_counting_one_word_of_a_megabyte_is_quick() -> None:
    count_tokens("")
    began = time.process_time()
    assert count_tokens("a1" * 500_000) == 750_000
    assert time.process_time() - began < 1.0


@pytest.mark.parametrize("unit", ["x y. ", "x,y.", "日本", "🙂 ", "The limit of the crane is 55 kg. "])
def test_a_long_text_is_estimated_quickly_and_well(unit: str) -> None:
    times = 5_000_000 // len(unit)
    count_tokens("")
    began = time.thread_time()
    found = count_tokens(unit * times)
    assert time.thread_time() - began < 0.6
    assert found == pytest.approx(count_tokens(unit) * times, rel=0.01)


def test_an_estimate_looks_at_all_parts_of_a_text() -> None:
    sparse, dense = "internationalization " * 20_000, ". " * 200_000
    assert count_tokens(sparse + dense) == pytest.approx(
        20_000 * count_tokens("internationalization") + 200_000, rel=0.1
    )


def test_counting_a_long_text_keeps_memory_small() -> None:
    code = (
        "import resource; from inference.tokens import count_tokens; count_tokens('a'); text = 'x y. ' * 10_000_000\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "before = peak(); count_tokens(text); print(peak() - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert int(done.stdout) < 50_000, f"{done.stdout} kB"


def test_special_tokens_in_a_text_are_text() -> None:
    (ids,) = token_ids(["[SEP] [CLS]"])
    assert SEP_ID not in ids[1:-1]
    assert CLS_ID not in ids[1:-1]


@pytest.mark.parametrize("text", ["\ud800", "a \udfff b", "\x00", "\u200d", "👨\u200d👩\u200d👧", "x" * 5000])
def test_strange_texts_have_tokens_or_none_but_do_not_fail(text: str) -> None:
    assert count_tokens(text) >= 0
    assert len(split_pieces(text).names) == len(split_pieces(text).ids) - 2


def test_pieces_know_their_word() -> None:
    pieces = split_pieces("Café unaffable 🙂!")
    assert pieces.names == (
        ("cafe", "cafe"),
        ("unaffable", "una"),
        ("unaffable", "##ffa"),
        ("unaffable", "##ble"),
        ("🙂", "[UNK]"),
        ("!", "!"),
    )


def test_pieces_are_cut_together_with_their_names() -> None:
    pieces = split_pieces("word " * 1000)
    assert (len(pieces.ids), len(pieces.names)) == (256, 254)


def test_threads_count_alike() -> None:
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(count_tokens, ["the same text of seven words again"] * 64)) == {7}


def test_a_process_that_does_not_count_does_not_load_the_tokenizer() -> None:
    code = "import sys, inference.tokens, inference.wire; print({'tokenizers', 'onnxruntime'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "set()"

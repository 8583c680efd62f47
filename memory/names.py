"""A light recogniser of names: what a text names, and which known names a question asks about.

It is the seed of the graph: a row is linked to the names that its text is seen to say, by capital letters, by form of
address, or because a model found them. It guesses, so a link may only raise a row that something else has found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import regex

from memory.english import STOP_WORDS
from memory.lexical import Posting
from memory.text_folding import compose, fold

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]

# A name that every row is linked to still counts for a little.
LEAST_WEIGHT = 0.05
# How often a row is counted under a name at which it is linked in full. What somebody says is mostly about himself, and
# whom he mentions he may only greet: a quarter. Of a conversation benchmark's evidence 80.7 % came into the top 15 so,
# 79.1 % when a mention counts like the speaker, 81.0 % when it counts nothing.
FULL_LINK = 4
# Longer runs are headings, not names.
LONGEST_NAME = 4
_LONGEST_KEY = 80
# A part of a name that is shorter stands for too much.
_SHORTEST_PART = 3
# The longest run of characters that is looked up where words are not separated.
_LONGEST_RUN = 8
# A longer word seldom comes again.
_KEPT_CHARS = 24

_CASELESS = r"\p{Han}\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Hangul}"
_WORD = regex.compile(r"[\p{L}\p{M}][\p{L}\p{M}\p{N}]*+(?:['’-][\p{L}\p{M}\p{N}]++)*+")
_KEY_WORD = regex.compile(r"[\p{L}\p{M}\p{N}'’]+")
_RUN = regex.compile(rf"[{_CASELESS}]+")
# A sentence begins behind one of these, and so far back it is looked for.
_SENTENCE_ENDS = frozenset('.!?:;"“„«(…')
_LOOK_BACK = 20
_POSSESSIVE = regex.compile(r"['’]s?$")
# Caseless scripts say a name by form of address.
_ADDRESSED = regex.compile(
    r"(?P<name>[\p{Han}\p{Katakana}ー]{1,8})(?:さん|様|さま|君|くん|ちゃん|先生|氏|女士|小姐)|(?P<name>\p{Hangul}{2,4})(?:씨|님)"
)
_HANDLE = regex.compile(r"(?<![\w@])@(\w[\w.-]*\w)")
# Small words inside a name: Bank of England, Ludwig van Beethoven.
_LINKS = frozenset("of the de da di do du del della der den van von la le y und and for".split())
_PLAIN = frozenset(
    # Capitals that name a time, a role or a form of address.
    "january february march april may june july august september october november december monday tuesday wednesday "
    "thursday friday saturday sunday user assistant system mr mrs ms dr prof i i'm i've i'd i'll ok okay "
    # Ordinary words that sentences begin with.
    "yes no yeah yep hi hey hello thanks thank please sorry well oh wow sure great good nice cool now then also but "
    "and or so if when while after before because since today tomorrow yesterday maybe perhaps all both each every "
    "some any many most much more one two three first last next new old here there just only even still never "
    "always often sometimes usually really very let let's looks sounds glad happy love hope keep take get got go "
    "make see look remember meeting note notes "
    # The same of other languages.
    "der die das ein eine er sie es wir ich und aber wenn weil im am le la les un une il elle nous je et mais el "
    "los las una yo mi ella y pero o os as um uma ele ela eu mas lo gli io e ma het een de en hij zij ik maar".split()
)
# German writes every noun with a capital letter: there only capitals side by side are taken for a name.
_GERMAN = frozenset("der die das und ist nicht ein eine einen einem im zum zur mit von für auf den dem des hat".split())


@dataclass(frozen=True, slots=True)
class _Word:
    text: str  # as written, without possessive
    start: int
    end: int

    @property
    def capital(self) -> bool:
        return not self.text.islower() and any(map(str.isupper, self.text))

    @property
    def key(self) -> str:
        return _kept_key(self.text) if len(self.text) <= _KEPT_CHARS else name_key(self.text)

    @property
    def plain(self) -> bool:
        folded = self.text.casefold().replace("’", "'")
        return folded in _PLAIN or folded in STOP_WORDS


def name_key(name: str) -> str:
    """Return the key that all spellings of a name share: folded words joined by "_"; "" when it has none."""
    folded = fold(compose(name))
    return _joined(_POSSESSIVE.sub("", word) for word in _KEY_WORD.findall(folded))


def _joined(words: Iterable[str]) -> str:
    return "_".join(filter(None, words))[:_LONGEST_KEY]


# Most words of a question are among the last few thousand.
_kept_key = lru_cache(maxsize=4_096)(name_key)


def row_names(text: str, *, given: Iterable[str] = ()) -> str:
    """Return what a row is linked to by what it says.

    Args:
        text: what it states, without who said it and when.
        given: names that something better than this recogniser has found in it.

    Returns:
        Keys in the order of their first mention, each once, separated by spaces. A name of several words gives its own
        key and one for each part that may stand for it.
    """
    named = [*_written(text), *given]
    return " ".join(dict.fromkeys(key for name in named for key in name_keys(name)))


def links(names: str | None, speaker: str | None) -> str:
    """Return the keys of the names that a row is linked to, each as often as the link counts (see `FULL_LINK`).

    Args:
        names: keys of what it mentions, as `row_names` gives them; None when nobody has looked.
        speaker: who says it; None for a document or a fact that nobody said.
    """
    if speaker is None:
        return " ".join([names or ""] * FULL_LINK)
    return " ".join([names or "", *([*name_keys(speaker)] * FULL_LINK)])


def name_keys(name: str) -> Iterator[str]:
    """Yield the key of a name and, when it has several words, those of the parts that may stand for it."""
    whole = name_key(name)
    if whole:
        yield whole
    # Of "Anna-Lena Roe" the first word stands for it as well as each of its halves.
    parts = dict.fromkeys((*map(name_key, name.split()), *whole.split("_")))
    if 1 < len(parts) <= 2 * LONGEST_NAME:
        yield from (
            part
            for part in parts
            if part != whole and len(part) >= _SHORTEST_PART and part not in _PLAIN and part not in _LINKS
        )


def names_asked(question: str, known: Callable[[str], bool]) -> list[str]:
    """Return the keys of the known names that a question mentions, longest first where they overlap.

    Args:
        question: as asked. A single word counts when it is written as a name, or when the question has no capitals.
        known: tells whether something is linked to a key.

    Returns:
        Keys, each once, in the order of the question.
    """
    text = compose(question)
    words = list(_words(text))
    keys = [word.key for word in words]
    lower = not any(word.capital for word in words)
    found: list[str] = []
    at = 0
    while at < len(words):
        length, key = _longest(words[at : at + LONGEST_NAME], keys[at : at + LONGEST_NAME], known, lower)
        found += [key] if key else []
        at += length
    found += [key for handle in _HANDLE.findall(text) if known(key := name_key(handle))]
    found += [key for run in _RUN.findall(text) for key in _inside(run, known)]
    return list(dict.fromkeys(found))


def score_names(postings: Iterable[Posting], visible: Mask) -> Floats:
    """Score every row by the names of a question that it is linked to.

    A name that most rows are linked to, as in a talk of two, weighs little beside a rare one: ln((N + 1) / (df + 0.5)).

    Args:
        postings: of each name; a count of `FULL_LINK` is a link in full.
        visible: bool (n,), the rows that count.

    Returns:
        float32 (n,), 0..1: the weight of the names met, by that of all that a visible row is linked to; of invisible
        rows 0.
    """
    scores = np.zeros(len(visible), dtype=np.float32)
    total, whole = int(np.count_nonzero(visible)), 0.0
    for posting in postings:
        found = visible[posting.slots]
        slots, counts = posting.slots[found], posting.counts[found]
        if not len(slots):
            continue
        weight = max(float(np.log((total + 1) / (len(slots) + 0.5))), LEAST_WEIGHT)
        scores[slots] += np.float32(weight) * np.minimum(counts, FULL_LINK) / np.float32(FULL_LINK)
        whole += weight
    return scores / np.float32(whole) if whole else scores


def _longest(words: list[_Word], keys: list[str], known: Callable[[str], bool], lower: bool) -> tuple[int, str | None]:
    """Return how many words the longest known name at the beginning takes (1 when there is none), and its key."""
    for length in range(len(words), 0, -1):
        if length == 1 and (words[0].plain or not (words[0].capital or lower)):
            break
        key = _joined(keys[:length])
        if key and known(key):
            return length, key
    return 1, None


def _inside(run: str, known: Callable[[str], bool]) -> Iterator[str]:
    """Yield the known names in a run of characters without word boundaries, longest first."""
    folded, at = fold(run), 0
    while at < len(folded):
        lengths = range(min(_LONGEST_RUN, len(folded) - at), 1, -1)
        length = next((length for length in lengths if known(folded[at : at + length])), 0)
        if length:
            yield folded[at : at + length]
        at += length or 1


def _written(text: str) -> Iterator[str]:
    """Yield the names that a text writes as such."""
    composed = compose(text)
    words = list(_words(composed))
    german = len(_GERMAN.intersection(word.text.casefold() for word in words)) > 1
    for run in _runs(composed, words):
        begins = _begins_sentence(composed, run[0].start)
        # "The Louvre", "After Rome": the first word has its capital from the sentence.
        kept = run[1:] if begins and run[0].plain else run
        if kept and not (len(kept) == 1 and (kept[0].plain or german or len(kept[0].text) < 2)):
            yield composed[kept[0].start : kept[-1].start + len(kept[-1].text)]
    yield from _HANDLE.findall(composed)
    yield from (found["name"] for found in _ADDRESSED.finditer(composed))


def _begins_sentence(text: str, at: int) -> bool:
    before = text[max(0, at - _LOOK_BACK) : at]
    said = before.rstrip()
    return not said or said[-1] in _SENTENCE_ENDS or "\n" in before[len(said) :]


def _words(text: str) -> Iterator[_Word]:
    for found in _WORD.finditer(text):
        yield _Word(_POSSESSIVE.sub("", found[0]), found.start(), found.end())


def _runs(text: str, words: list[_Word]) -> Iterator[list[_Word]]:
    """Yield the words with a capital that stand side by side, small linking words between them included."""
    run: list[_Word] = []
    links: list[_Word] = []
    for word in words:
        close = bool(run) and text[(links or run)[-1].end : word.start] == " "
        if not word.capital:
            if close and not links and word.text in _LINKS:
                links.append(word)
            elif run:
                yield run
                run, links = [], []
            continue
        # A possessive ends a name: "Maya's Acme badge" names two.
        if close and (run[-1].end - run[-1].start) == len(run[-1].text) and len(run) + len(links) < LONGEST_NAME:
            run += [*links, word]
        else:
            if run:
                yield run
            run = [word]
        links = []
    if run:
        yield run

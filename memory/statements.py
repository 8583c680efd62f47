"""What makes two statements one, and how a statement is shown with who said it and when."""

from __future__ import annotations

import hashlib
import re
import unicodedata

import regex

from memory.fillers import states_something
from memory.records import Micros
from memory.sentences import sentences
from memory.temporal import readable_date

__all__ = ["attributed", "equality_key", "normalised", "same_slot", "sentences", "states_something"]

_INVISIBLE = regex.compile(r"[\u00AD\u200B\u200C\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFE0E\uFE0F\uFEFF]")
_QUOTES = str.maketrans({"‘": "'", "’": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "–": "-"})
# A question mark stays: a question is not the statement it asks about.
_OUTER = " \t\"'`.,;:!…。、，；：！¡¿।۔"
_LIST_MARK = re.compile(r"(?:[-*•]|\d{1,3}[.)])\s+")
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}]+)*")
_ADDRESSING = frozenset(
    "i me my mine myself we us our ours ourselves you your yours yourself yourselves i'm i've i'd i'll we're "
    "we've we'd we'll you're you've you'd you'll im ive dont ich mich mir mein meine meinen meinem meiner "
    "wir uns unser unsere du dich dir dein deine euch euer eure je j'ai moi mon ma mes nous notre nos tu te "
    "toi ton ta tes vous votre vos yo me mi mis conmigo nosotros nuestro nuestra tú ti usted ustedes soy "
    "estoy tengo vivo quiero fui he prefiero eu meu minha nós nosso você io mio mia noi nostro sono ho vivo "
    "я меня мне мной мой моя моё мои мы нас нам наш наша ты тебя тебе твой твоя вы вас вам ваш ваша jag mig "
    "min mitt mina vi vår du dig din jeg meg meget mitt minä minun sinä ja mnie mój moja ben benim sen senin "
    "انا أنا نحن انت أنت मैं मेरा मेरी हम आप तुम אני שלי אנחנו אתה ฉัน ผม เรา คุณ".split()
)
# Scripts without spaces, or whose sentences usually leave the subject out: written as parts of words.
_ADDRESSING_PARTS = (
    "我",
    "你",
    "您",
    "咱",
    "私",
    "僕",
    "俺",
    "あなた",
    "ฉัน",
    "ผม",
    "เรา",
    "คุณ",
    "저는",
    "나는",
    "제가",
    "내가",
)
_DROPS_SUBJECT = regex.compile(r"[\p{Hiragana}\p{Katakana}\p{Hangul}]")
_ELLIPTIC = frozenset(
    "just got went had been can't cannot want love loved hate hated like liked need needed took made saw met "
    "bought left ran won lost feel felt think thought hope wish still never always".split()
)
_JOINTS = frozenset(
    "is are was were be equals costs cost has have uses use runs lives works weighs measures contains = : "
    "becomes remains starts begins ends opens closes ist sind war beträgt kostet hat est sont était coûte a "
    "es son está era cuesta tiene は 是 为 為".split()
)
_NEGATIONS = frozenset(
    "not no never n't isn't aren't wasn't without nicht kein keine pas jamais nunca нет не 不 没".split()
)
_SLOT_TOKEN = regex.compile(r"[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*|[$€£]?\p{N}+(?:[.,:/-]\p{N}+)*%?|[=:]")
# A value of more words is a new sentence rather than a new value.
_LONGEST_VALUE = 4


def normalised(statement: str) -> str:
    """Return the form in which equal statements are the same text.

    Args:
        statement: one statement.

    Returns:
        NFKC, case folded, white space single, list mark and outer punctuation off. Numbers, dates, negation and a
        question mark stay.
    """
    # A space that is loaded has all its texts compared, and ASCII has but one form.
    text = statement.lower() if statement.isascii() else _one_form(statement)
    plain = " ".join(text.split())
    bare = _LIST_MARK.sub("", plain, count=1) if _LIST_MARK.match(plain) else plain
    return bare.strip(_OUTER) or plain


def _one_form(text: str) -> str:
    folded = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).translate(_QUOTES).casefold()
    return unicodedata.normalize("NFKC", folded)


def equality_key(statement: str, speaker: str | None) -> str:
    """Return the key under which equal statements meet.

    Args:
        statement: one statement.
        speaker: who said it, or the document's title.

    Returns:
        Hex sha256 of the normalised statement, and of the speaker too where the statement speaks in the first or second
        person or leaves its subject out: "I moved" by two people is two facts.
    """
    text = normalised(statement)
    who = normalised(speaker) if speaker and _speaks_of_speaker(text) else ""
    return hashlib.sha256(f"{text}\x1f{who}".encode("utf-8", "surrogatepass")).hexdigest()


def attributed(statement: str, speaker: str | None, said_at: Micros | None, zone: str | None = None) -> str:
    """Return the statement with its attribution, e.g. "[8 May 2023] Caroline: I moved to Oslo."."""
    day = f"[{readable_date(said_at, zone)}] " if said_at is not None else ""
    return f"{day}{speaker}: {statement}" if speaker else f"{day}{statement}"


def same_slot(old: str, new: str) -> bool:
    """Tell whether two statements give one attribute of one subject different values.

    Deliberately narrow, and only meant for the revisions of one document: both start with the same subject and the same
    linking verb (or "=" or ":"), differ in one run of at most four words, and end alike.

    Args:
        old: a statement of the replaced revision.
        new: a statement of the new one.
    """
    before, after = _slot_tokens(old), _slot_tokens(new)
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    values = before[head : len(before) - tail], after[head : len(after) - tail]
    if not all(0 < len(value) <= _LONGEST_VALUE for value in values):
        return False
    if any(_NEGATIONS & set(value) or _JOINTS & set(value) for value in values):
        return False
    return any(token in _JOINTS for token in before[1:head])


def _speaks_of_speaker(text: str) -> bool:
    words = _WORD.findall(text)
    if any(word in _ADDRESSING for word in words) or any(part in text for part in _ADDRESSING_PARTS):
        return True
    if _DROPS_SUBJECT.search(text) or not words:
        return True
    first = words[0]
    return first in _ELLIPTIC or (len(first) > 4 and first.isascii() and first.endswith(("ed", "ing")))


def _slot_tokens(statement: str) -> list[str]:
    return _SLOT_TOKEN.findall(normalised(statement))


def _common(first: list[str], second: list[str]) -> int:
    """Return how many leading tokens two lists share."""
    count = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        count += 1
    return count

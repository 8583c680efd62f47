"""Whether two statements in another language than English say the same: a free order, the passive, a few phrases.

What a preposition or article stands before goes with it, so that "der Hund" and "den Hund" are two; parts that nothing
marks keep their order. No word is taken for another but those of the few phrases below.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import regex

from memory.pairs.change_words import (
    AUXILIARIES,
    DAY_WORDS,
    DEFINITE,
    FIRST_PERSON,
    INDEFINITE,
    IS,
    POSSESSIVES,
    PREPOSITIONS,
    STATES,
)
from memory.pairs.denials import is_denial
from memory.pairs.quantities import Quantity
from memory.pairs.quantity_reading import parts
from memory.pairs.rewriting import rewritten, rules
from memory.pairs.texts import Side

Atom = str | Quantity
Chunk = tuple[Atom, ...]

_WRITTEN = (
    ("nicht |untersagt", r"\bnicht (?:erlaubt|gestattet)\b|\buntersagt\b", "verboten"),
    ("darf man|dürfen sie", r"\b(?:darf man|dürfen sie)((?: \p{L}+){0,3}) nicht (\p{L}+)$", r"ist\1 \2 verboten"),
    ("fahrrad", r"\bfahrrad\b", "rad"),
    (" permit", r"\bno (?:está|están) permitid[oa]s?\b|\bno se permiten?\b", "está prohibido"),
    ("yo ", r"^yo ", ""),
    (" alergia", r"\b(?:tengo|tiene) alergia\b", "es alérgica"),
    (" alérgic", r"\bsoy alérgic[oa]\b|\bes alérgic[oa]\b", "es alérgica"),
    ("t pas ", r"\b(?:ne|n')\s?(?:est|sont) pas (?:autorisée?s?|permise?s?)\b", "sont interdits"),
    ("interdit", r"\binterdite?s?\b", "interdits"),
    ("est interdits", r"\best interdits\b", "sont interdits"),
    ("on n'a pas le droit", r"\bon n'a pas le droit\b", "il sont interdits"),
    ("t peur", r"^(?:les |l')(.+) (?:me|m') ?(?:font|fait) peur$", r"j'ai peur des \1"),
    ("t peur à ", r"^(?:les |l')(.+) (?:font|fait) peur à (.+)$", r"\2 a peur des \1"),
    ("chaque |s les ", r"\b(?:chaque|tous les|toutes les) (\p{L}+?)s?\b", r"chaque \1"),
    (" mi fanno paura", r"^(?:i|gli|le) (.+) mi fanno paura$", r"ho paura dei \1"),
    ("degli|delle", r"\bdegli\b|\bdelle\b", "dei"),
    (" medo", r"^(?:o|a|os|as) (.+) (?:mete-me|dá-me|me dá) medo$", r"tenho medo do \1"),
    ("eu ", r"^eu ", ""),
    ("non è permesso", r"\bnon è permesso\b", "è vietato"),
    ("геничего", r"\bгеничего\b", "ничего"),
    ("велосипед", r"\bвелосипед", "велосипед"),
    ("害怕", r"害怕", "怕"),
    ("的", r"(?<=我|你|他|她)的", ""),
    ("每", r"(?<=每.{1,6})都", ""),
    ("汽车", r"汽车", "车"),
    ("不爱", r"不爱", "不喜欢"),
    ("得要|必须|需要", r"(?:必须|需要|得要)", "要"),
    ("周日|星期天|星期日", r"星期天|星期日|周日", "周天"),
    ("俺は|僕は|私は", r"^(?:私|僕|俺)は", ""),
    ("うちの", r"^(?:うちの)", ""),
)  # fmt: skip
_RULES = rules(_WRITTEN)
_HAN = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
# Case particles of Japanese, which stand behind what they mark.
_PARTICLE = regex.compile(r"(.+?(?:から|まで|[はがをにでへも]))(?=.)")
_COMMA = regex.compile("[,，、;；]")
_TIMES = frozenset(("weekday", "month", "clock", "time"))
_KANA = regex.compile(r"\p{Hiragana}")
_AND = frozenset("und y e et и och en i and 和 と".split())
_ARTICLES = DEFINITE | INDEFINITE | POSSESSIVES
# Words of the tables that are names too stay where they are.
_VERBS = (STATES | AUXILIARIES | IS | {"hay", "gibt"}) - frozenset("ben bin mora may will son son' am".split())
_NAMELESS = FIRST_PERSON - {"mi"}
_BEFORE = PREPOSITIONS | frozenset(
    "auf vor über durch gegen ohne seit zwischen während an zum zur ins à sur sous vers depuis pendant contre "
    "entre des "
    "du sobre sin ante tras según del al bakom över efter före genom mellan под над перед через после от из "
    "без при про "
    "из-за onder op achter voor na door zonder pod nad przed po za dei del della dello delle su sul sulla sotto sopra "
    "dopo dietro dal dalla ao às aos do da dos das sobre sob atrás".split()
)
_WHEN = DAY_WORDS | frozenset("abends morgens nachts mittags vormittags nachmittags chaque".split())

_P, _A = r"(?P<patient>.+?)", r"(?P<agent>.+?)"
# A passive with who does it, and the active that says the same; what is done is compared by its beginning.
_VOICES = tuple(
    (regex.compile(passive), active)
    for passive, active in (
        (rf"^{_P} (?:wurde|wurden) (?:von|vom) {_A} (?P<done>\p{{L}}+)$", rf"^{_A} (?:hat|haben) {_P} DONE$"),
        (rf"^{_P} (?:wird|werden) (?:von|vom) {_A} ge(?P<done>\p{{L}}+?)(?:t|en)$", rf"^{_A} DONE(?:t|en) {_P}$"),
        (rf"^{_P} (?:a|ont) été (?P<done>\p{{L}}+?)e?s? par {_A}$", rf"^{_A} (?:a|ont) DONEs? {_P}$"),
        (rf"^{_P} (?:fue|fueron) (?P<done>\p{{L}}+?)(?:ad|id)[oa]s? por {_A}$",
         rf"^(?:{_P} l[oa]s? DONE(?:ó|ió|aron|ieron|yó|yeron) {_A}|{_A} DONE(?:ó|ió|aron|ieron|yó|yeron) {_P})$"),
        (rf"^{_P} (?:è|sono) stat[oaie] (?P<done>\p{{L}}+)[oaie] (?:da|dal|dalla|dai|dagli|dalle) {_A}$",
         rf"^{_A} (?:ha|hanno) DONE[oaie] {_P}$"),
        (rf"^{_P} (?:foi|foram) (?P<done>\p{{L}}+?)(?:ad|id)[oa]s? (?:por|pelo|pela|pelos|pelas) {_A}$",
         rf"^{_A} DONE(?:ou|eu|iu|aram|eram|iram) {_P}$"),
    )
)  # fmt: skip


def says_the_same_reordered(old: Side, new: Side) -> bool:
    """Tell whether two statements, whose values and denials agree, are one fact in another order or voice."""
    one, other = rewritten(old.text, _RULES), rewritten(new.text, _RULES)
    if _one_voice(one, other) or _one_voice(other, one):
        return True
    first, second = _chunks(one), _chunks(other)
    if Counter(first) != Counter(second):
        return False
    if not _phrases_in_order(one, other, first, second):
        return False
    if _is_japanese(one) and _is_japanese(other):
        return first[-1] == second[-1]
    return _fixed(first) == _fixed(second)


def _one_voice(one: str, other: str) -> bool:
    """Tell whether the second statement is the active of the first, which is a passive."""
    for passive, active in _VOICES:
        done = passive.match(one)
        if done is None or len(done["done"]) < 3 or done["done"] not in other:
            continue
        does = regex.match(active.replace("DONE", regex.escape(done["done"])), other)
        if does and all(_named(done[role]) == _named(does[role]) for role in ("patient", "agent")):
            return True
    return False


def _named(words: str) -> list[Atom]:
    """Return the words of a name or noun; an article shows a case, which the passive changes."""
    return ["herr" if part == "herrn" else part for part in parts(words) if part not in DEFINITE | INDEFINITE]


def _is_japanese(text: str) -> bool:
    return bool(_KANA.search(text))


def _chunks(text: str) -> list[Chunk]:
    """Return the parts of a statement that stay together."""
    if _HAN.search(text):
        return _han_chunks(text)
    found: list[Chunk] = []
    open_: list[Atom] = []
    for part in parts(text):
        open_.append(part)
        if not (isinstance(part, str) and (part in _BEFORE or part in _ARTICLES)):
            found.append(tuple(open_))
            open_ = []
    return _joined([*found, tuple(open_)] if open_ else found)


def _han_chunks(text: str) -> list[Chunk]:
    if _is_japanese(text):
        pieces = _PARTICLE.findall(text)
        rest = text[sum(map(len, pieces)) :]
        return _joined([tuple(parts(piece)) for piece in (*pieces, rest) if piece])
    return _joined([(part,) for part in parts(text)])


def _joined(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Sort what "and" joins."""
    found = list(chunks)
    for at in range(1, len(found) - 1):
        if found[at][0] in _AND and len(found[at]) == 1:
            found[at - 1], found[at + 1] = sorted((found[at - 1], found[at + 1]), key=str)
    return found


def _fixed(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Return the parts whose place says who does what; none for one thing and its verb, whichever comes first."""
    left = [chunk for chunk in chunks if not _moves(chunk)]
    verb = any(len(chunk) == 1 and chunk[0] in _VERBS for chunk in chunks)
    return (
        []
        if len(left) == 1 or (len(left) == 2 and not verb and any(one[0] not in DEFINITE | INDEFINITE for one in left))
        else left
    )


def _phrases_in_order(one: str, other: str, first: Sequence[Chunk], second: Sequence[Chunk]) -> bool:
    """Tell whether phrases and times come in one order; of two, the second may open a statement of one clause."""
    before, after = ([chunk for chunk in chunks if _is_phrase(chunk)] for chunks in (first, second))
    if before == after:
        return True
    joined = any(chunk[0] in _AND for chunk in first) or _COMMA.search(one) or _COMMA.search(other)
    return len(before) < 3 and not joined


def _is_phrase(chunk: Chunk) -> bool:
    if len(chunk) > 1 and chunk[0] in _BEFORE and chunk[0] not in _ARTICLES:
        return True
    return isinstance(chunk[-1], Quantity) and chunk[-1].kind in _TIMES


def _moves(chunk: Chunk) -> bool:
    if _is_phrase(chunk):
        return True
    word = chunk[-1]
    if not isinstance(word, str):
        return False
    if len(chunk) > 1:
        return word in _WHEN
    return word in _VERBS or word in _NAMELESS or word in _WHEN or is_denial(word)

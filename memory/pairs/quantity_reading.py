"""Numbers, measures, times of day, weekdays and months of a statement, in a form in which equal ones are equal.

"Five kilos", "5 kg" and "5000 g" are one quantity, "a week" is seven days, "5 pm" is 17:00.
"""

from __future__ import annotations

from functools import lru_cache

import regex

from memory.pairs.quantities import DOTTED_TIME, Quantity
from memory.pairs.quantity_spellings import RECENT, respelled
from memory.pairs.quantity_words import (
    AFTERNOON,
    ARTICLES,
    BARE_MULTIPLES,
    BEFORE_DAYS,
    CLOCK_WORDS,
    DAY_OR_MONTH,
    HALVES,
    HUNDREDS,
    JOINING,
    MONEY,
    MONTH_NAMES,
    MORNING,
    MULTIPLES,
    NUMBER_WORDS,
    ORDINALS,
    PARTS_OF_DAY,
    PAST_OR_TO,
    SHORT_DAYS,
    SHORT_MONTHS,
    TIMES,
    UNITS,
)

# Weekdays of Chinese and Japanese, which are written without spaces.
HAN_WEEKDAY = r"(?:周|星期|礼拜)[一二三四五六日天]|[月火水木金土日]曜日?"
# A letter after a number is a label, as in "class 4b", unless it is a unit.
_TOKEN = regex.compile(
    HAN_WEEKDAY + r"|\p{Nd}{1,3}(?: \p{Nd}{3})+(?![\p{Nd}.,:])"
    r"|\p{Nd}{1,2}h\p{Nd}{2}(?!\p{Nd})|\p{Nd}+[a-dfijn-ru-z](?![\p{L}\p{Nd}])"
    r"|\p{Nd}+(?:[.,:/]\p{Nd}+)*|[二三四五六七八九十百两]+|小时|分钟|時間|公里|公斤|[\p{Han}\p{Hiragana}\p{Katakana}]"
    r"|[[\p{L}\p{M}]--[\p{Han}\p{Hiragana}\p{Katakana}]]+(?:\.(?=\p{L}\b)\p{L})*|°c?|[%€$£]",
    regex.V1,
)
_SEPARATED = regex.compile(r"\p{Nd}[-./]\p{Nd}{1,2}[-./]\p{Nd}")
_ISO = regex.compile(r"\b(\p{Nd}{4})-(\p{Nd}{1,2})-(\p{Nd}{1,2})\b")
_DOTTED = regex.compile(r"(?<![\p{Nd}.])(\p{Nd}{1,2})[./](\p{Nd}{1,2})[./](\p{Nd}{4})(?![.\p{Nd}])")
_ONE = frozenset(("a", "an", "one"))
# Letters of a number that is composed of others, such as "eenendertig".
_SHORTEST_COMPOSED = 8
_AND_A_HALF = [["and", "a", "half"]]
_GROUPED = regex.compile(r"\p{Nd}{1,3}(?:[ ,.]\p{Nd}{3})+")
_CLOCK = regex.compile(r"([01]?\p{Nd}|2[0-4])[:h]([0-5]\p{Nd})")
_HAN = {char: value for value, char in enumerate("二三四五六七八九十", 2)} | {"两": 2}

_SINGLE_WORDS = (
    {word: Quantity(kind, number, word) for word, (kind, number) in DAY_OR_MONTH.items()}
    | {word: Quantity("clock", minute, word, loose=True) for word, minute in CLOCK_WORDS.items()}
    | {word: Quantity("", count, f"{count:g}") for word, count in TIMES.items()}
    | {word: Quantity("", place, f"{place}", loose=True) for word, place in ORDINALS.items()}
)
_VALUE_WORDS = frozenset((*NUMBER_WORDS, *_SINGLE_WORDS))
_BEGINNINGS = _VALUE_WORDS.union(SHORT_DAYS, SHORT_MONTHS, HALVES, ARTICLES, BARE_MULTIPLES, _ONE)


def quantities(text: str) -> list[Quantity]:
    """Return the values of a statement in order.

    Args:
        text: a normalised statement.
    """
    return [part for part in parts(text) if isinstance(part, Quantity)]


def plainly_spelled(text: str) -> str:
    """Return a normalised statement with its values and dates in their plainest spelling."""
    return _dates_in_words(respelled(text))


@lru_cache(maxsize=RECENT)
def parts(text: str) -> tuple[str | Quantity, ...]:
    """Return the words and values of a statement in order, without punctuation.

    Args:
        text: a normalised statement.
    """
    tokens = _TOKEN.findall(plainly_spelled(text))
    found: list[str | Quantity] = []
    position = 0
    while position < len(tokens):
        if _begins_no_value(tokens[position]):
            found.append(tokens[position])
            position += 1
            continue
        value, taken = _at(tokens, position)
        if value is None:
            found.extend(tokens[position : position + taken])
        else:
            # "Every week" is not "a week".
            said = taken == 2 and tokens[position] in ARTICLES and tokens[position] not in _ONE
            found.extend([tokens[position], value] if said else [value])
        position += taken
    return tuple(found)


def is_value(word: str) -> bool:
    """Tell whether a normalised word is a number, a weekday or a month by itself."""
    return word[:1].isnumeric() or word in _VALUE_WORDS or _is_han_weekday(word)


@lru_cache(maxsize=16_384)
def _begins_no_value(token: str) -> bool:
    """Tell whether a token is a word with which no value begins, as most are."""
    if not token.isalpha() or token in _BEGINNINGS or token[0] in _HAN or _is_han_weekday(token):
        return False
    return len(token) < _SHORTEST_COMPOSED or _word_number(token) is None


def _at(tokens: list[str], position: int) -> tuple[Quantity | None, int]:
    """Return the value that begins at a token, if any, and how many tokens it takes."""
    token = tokens[position]
    found = _by_itself(tokens, position)
    if found is not None:
        return found, 1
    if token in HALVES:
        return _half(tokens, position)
    if token in ARTICLES and tokens[position + 1 : position + 4] not in _AND_A_HALF:
        return _many(tokens, position) if _after(tokens, position, 1) in BARE_MULTIPLES else _one(tokens, position)
    if _CLOCK.fullmatch(token):
        return _clock(tokens, position)
    return _number(tokens, position)


def _by_itself(tokens: list[str], position: int) -> Quantity | None:
    """Return the value that a single word is: a day, a month, noon, "twice", "first"."""
    token = tokens[position]
    if token in _SINGLE_WORDS:
        return _SINGLE_WORDS[token]
    if _is_han_weekday(token):
        return Quantity("weekday", _han_weekday(token), token)
    if token in SHORT_DAYS and not BEFORE_DAYS.isdisjoint((_after(tokens, position, -1), _after(tokens, position, 1))):
        return Quantity("weekday", SHORT_DAYS[token], token)
    if token in SHORT_MONTHS and _beside_day(tokens, position):
        return Quantity("month", SHORT_MONTHS[token], token)
    return None


def _one(tokens: list[str], position: int) -> tuple[Quantity | None, int]:
    """Return what an article or "one" stands for: "an hour" is a measure, and so is "one"; "95 a night" is a rate."""
    if position and tokens[position - 1][-1].isnumeric():
        return None, 1
    unit = UNITS.get(_after(tokens, position, 1))
    if unit:
        return Quantity(unit[0], unit[1], "1", loose=True), 2
    return (Quantity("", 1.0, "1", loose=True) if tokens[position] == "one" else None), 1


def _many(tokens: list[str], position: int) -> tuple[Quantity | None, int]:
    """Return what "a hundred" or "one thousand two hundred" stands for."""
    found, taken = _number(tokens, position + 1)
    return found, taken + 1


def _beside_day(tokens: list[str], position: int) -> bool:
    before, after = _after(tokens, position, -1), _after(tokens, position, 1)
    return before.isdigit() or after.isdigit() or before in ("st", "nd", "rd", "th", "of")


def _half(tokens: list[str], position: int) -> tuple[Quantity | None, int]:
    share = HALVES[tokens[position]]
    side = PAST_OR_TO.get(_after(tokens, position, 1))
    hour = _small(_after(tokens, position, 2)) if side else None
    if side and hour is not None:
        return Quantity("clock", _on_clock(tokens, hour * 60 + side * 60 * share), "", loose=True), 3
    german = _small(_after(tokens, position, 1)) if tokens[position] == "halb" else None
    if german is not None:
        return Quantity("clock", _on_clock(tokens, german * 60 - 30), "", loose=True), 2
    last = _after(tokens, position, -1) in ARTICLES and UNITS.get(_after(tokens, position, -3))
    if last:  # "an hour and a half"
        return Quantity(last[0], round(last[1] * share, 6), ""), 1
    for skipped in (1, 2, 3):
        unit = UNITS.get(_after(tokens, position, skipped))
        if unit:
            return Quantity(unit[0], round(unit[1] * share, 6), ""), skipped + 1
    return None, 1


def _clock(tokens: list[str], position: int) -> tuple[Quantity, int]:
    hours, minutes = tokens[position].replace("h", ":").split(":")[:2]
    minute = int(hours) * 60 + int(minutes)
    after = _after(tokens, position, 1)
    return Quantity("clock", _shifted(minute, after), tokens[position]), 1 + (after in PARTS_OF_DAY)


def _number(tokens: list[str], position: int) -> tuple[Quantity | None, int]:
    amount, said, taken = _amount(tokens, position)
    if amount is None:
        return None, 1
    after = _after(tokens, position, taken)
    dotted = DOTTED_TIME.fullmatch(said)
    if after in PARTS_OF_DAY and amount <= 24:
        minute = int(dotted[1]) * 60 + int(dotted[2]) if dotted else amount * 60
        return Quantity("clock", _shifted(minute, after), said), taken + 1
    if after in UNITS:
        kind, factor = UNITS[after]
        return Quantity(kind, round(amount * factor, 6), said), taken + 1
    before = UNITS.get(tokens[position - 1]) if position else None
    if before and before[0] in MONEY:
        return Quantity(before[0], round(amount * before[1], 6), said), taken
    # One is often only an article.
    return Quantity("", amount, said, loose=said == "1"), taken


def _amount(tokens: list[str], position: int) -> tuple[float | None, str, int]:
    """Return a number's value, its writing without grouping, and how many tokens it takes."""
    token = tokens[position]
    value: float | None
    if token[0].isdigit():
        plain = _ungrouped(token)
        value, taken = _as_float(plain), 1
        said = plain
    elif token[0] in _HAN and token not in NUMBER_WORDS:
        value, taken = float(_from_han(token)), 1
        said = f"{value:g}"
    else:
        value, taken = _from_words(tokens, position)
        if value is None and token in BARE_MULTIPLES:
            value, taken = 1.0, 0
        said = "" if value is None else f"{value:g}"
    while value is not None and _after(tokens, position, taken) in MULTIPLES:
        value *= MULTIPLES[_after(tokens, position, taken)]
        taken += 1
        more = taken + (_after(tokens, position, taken) in JOINING)
        rest, used = _from_words(tokens, position + more) if value >= 100 else (None, 0)
        factor = MULTIPLES.get(_after(tokens, position, more + used))
        if rest is not None and factor and rest * factor < value:
            value, taken = value + rest * factor, more + used + 1
        elif rest is not None and rest < 100:
            value, taken = value + rest, more + used
        said = f"{value:.0f}"
    if value is not None and tokens[position + taken :][:3] in _AND_A_HALF:
        return value + 0.5, f"{value + 0.5:g}", taken + 3
    return value, said, taken


def _from_words(tokens: list[str], position: int) -> tuple[float | None, int]:
    value = _word_number(_after(tokens, position, 0))
    if value is None:
        return None, 1
    joined = 1 + (_after(tokens, position, 1) in JOINING)
    last = _after(tokens, position, joined)
    ones = 1 if last == "one" else NUMBER_WORDS.get(last, max(0, ORDINALS.get(last, 0)))
    if value >= 20 and value % 10 == 0 and 0 < ones < 10:
        return float(value + ones), joined + 1
    return float(value), 1


def _word_number(word: str) -> int | None:
    """Return the number of a word, also of one that is composed, as in German, Dutch and Italian."""
    found = NUMBER_WORDS.get(word)
    if found is not None or len(word) < _SHORTEST_COMPOSED:
        return 1 if word == "one" else found
    for hundreds, factor in HUNDREDS.items():
        if word.endswith(hundreds) and word.removesuffix(hundreds) in NUMBER_WORDS:
            return NUMBER_WORDS[word.removesuffix(hundreds)] * factor
    for joint in ("und", "en"):
        ones, _, tens = word.partition(joint)
        if tens in NUMBER_WORDS and (ones in NUMBER_WORDS or ones in ("ein", "een")):
            return NUMBER_WORDS[tens] + NUMBER_WORDS.get(ones, 1)
    return None


def _from_han(token: str) -> int:
    tens, ten, ones = token.rpartition("十")
    if not ten:
        return _HAN.get(token[-1], 100)
    return (_HAN.get(tens[-1:], 1) * 10) + _HAN.get(ones[:1], 0)


def _is_han_weekday(token: str) -> bool:
    return len(token) > 1 and token[-1] in "日天曜一二三四五六" and bool(regex.fullmatch(HAN_WEEKDAY, token))


def _han_weekday(token: str) -> int:
    if "曜" in token:
        return "月火水木金土日".index(token[0]) + 1
    return "一二三四五六日".index(token[-1].replace("天", "日")) + 1


def _ungrouped(token: str) -> str:
    if _GROUPED.fullmatch(token) and token[0] != "0":
        return regex.sub(r"[ ,.]", "", token)
    whole = token.replace(",", ".")
    # "07" is seven, "0417" is a code.
    code = len(whole) > 2 and whole.isdigit()
    return whole if code or ":" in whole or "/" in whole else whole.lstrip("0") or "0"


def _as_float(plain: str) -> float:
    try:
        return float(plain)
    except ValueError:  # a version, an address, a date in figures
        return -1.0


def _small(token: str) -> int | None:
    if token.isdigit():
        return int(token)
    return NUMBER_WORDS.get(token)


def _on_clock(tokens: list[str], minute: float) -> float:
    return minute + 720 if minute < 720 and AFTERNOON & set(tokens) else minute


def _shifted(minute: float, part: str) -> float:
    if part in AFTERNOON and minute < 720:
        return minute + 720
    return minute - 720 if part in MORNING and minute >= 720 else minute


def _after(tokens: list[str], position: int, distance: int) -> str:
    return tokens[position + distance] if 0 <= position + distance < len(tokens) else ""


def _dates_in_words(text: str) -> str:
    """Write dates in figures as day, month and year, and "Monday to Friday" as weekdays."""
    if _SEPARATED.search(text):
        text = _ISO.sub(lambda found: _date(found[3], found[2], found[1]), text)
        text = _DOTTED.sub(lambda found: _date(found[1], found[2], found[3]), text)
    return text


def _date(day: str, month: str, year: str) -> str:
    name = MONTH_NAMES[int(month) - 1] if 1 <= int(month) <= 12 else month
    return f"{day} {name} {year}"

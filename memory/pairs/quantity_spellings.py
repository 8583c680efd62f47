"""Spellings of values that are written as others before they are read: "every other week" as "every two weeks".

What takes several words, or a sign inside a word, is cheaper to rewrite than to parse. Each line is one idea.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import regex

from memory.pairs.quantity_words import NUMBER_WORDS
from memory.pairs.rewriting import Replacement, rewritten, rules

# How many texts are kept read: a pair's are needed several times, a candidate's once for each of its neighbours.
RECENT = 128
_DAYS = {"mon": "monday", "tue": "tuesday", "wed": "wednesday", "thu": "thursday", "fri": "friday", "sat": "saturday"}
_SHORT = r"(?:mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun)"
_NUMBER = r"(?P<number>\p{Nd}{1,2}(?:[:.h]\p{Nd}\p{Nd})?|\p{L}+)"
_ITALIAN = {"due": 2, "sei": 6, "otto": 8, "undici": 11}
_HAN = dict(zip("一二三四五六七八九", range(1, 10), strict=True)) | {"两": 2}
_DECADES = {"nineties": 1990, "eighties": 1980, "seventies": 1970, "sixties": 1960, "fifties": 1950}


@lru_cache(maxsize=RECENT)
def respelled(text: str) -> str:
    """Return a normalised statement with values in their plainest spelling."""
    return rewritten(text, _RULES)


def _part_of_day(part: str) -> Callable[[regex.Match[str]], str]:
    def written(found: regex.Match[str]) -> str:
        number = found["number"]
        if number[0].isdigit() or number in NUMBER_WORDS or number in _ITALIAN:
            return f"{_ITALIAN.get(number, number)} {part}"
        return found[0]

    return written


def _minutes(found: regex.Match[str]) -> str:
    minutes, hour = _count(found[1]), _count(found[3])
    if minutes is None or hour is None or minutes >= 60 or hour > 24:
        return found[0]
    total = hour * 60 + (minutes if found[2] in ("past", "after", "nach") else -minutes)
    return f"{total // 60 % 24}:{total % 60:02d}"


def _half_past(found: regex.Match[str]) -> str:
    hour = _count(found["number"])
    return found[0] if hour is None or hour > 24 else f"{hour}:30"


def _count(word: str) -> int | None:
    return int(word) if word.isdigit() else NUMBER_WORDS.get(word, _ITALIAN.get(word))


def _days(found: regex.Match[str]) -> str:
    first, last = (_DAYS.get(found[at][:3], "sunday") for at in (1, 2))
    return f"{first} to {last}"


def _han_number(found: regex.Match[str]) -> str:
    total = 0
    for digit, place in regex.findall(r"([一二三四五六七八九两]?)([千百十]?)", found[0]):
        total += _HAN.get(digit, 1 if place else 0) * {"千": 1000, "百": 100, "十": 10, "": 1}[place]
    return f"{total}"


# Parts of which a text must hold one for the pattern to be worth a search, the pattern, and what is written instead.
_WRITTEN: tuple[tuple[str, str, Replacement], ...] = (
    ("'", r"(?<=\p{Nd})'(?=\p{Nd}{3}(?!\p{Nd}))", ""),
    ("0s|0's", r"(\p{Nd}{3}0)'?s\b", r"\1"),
    ("ties", r"\b(?:" + "|".join(_DECADES) + r")\b", lambda found: f"{_DECADES[found[0]]}"),
    ("0x|1x|2x|3x|4x|5x|6x|7x|8x|9x| x", r"(?<=\p{Nd}) ?x\b(?! ?\p{Nd})", " times"),
    ("no|nr|nº|#", r"\b(?:no\.|nr\.?) ?(?=\p{Nd})|(?:nº|#) ?(?=\p{Nd})", ""),
    ("m²|m2|sq|qm|quad",
     r"(?<=\p{Nd}) ?m[²2](?!\p{Nd})|\bsq\.? ?m\b|\bqm\b|\bsquare met(?:er|re)s?\b|\bquadratmetern?\b", " sqm"),
    ("m³|m3|cu|kubik",
     r"(?<=\p{Nd}) ?m[³3](?!\p{Nd})|\bcu\.? ?m\b|\bcubic met(?:er|re)s?\b|\bkubikmetern?\b", " cbm"),
    ("ever", r"\bevery (?:other|second) (day|week|month|year)\b", r"every two \1s"),
    ("ly|fortnight", r"\b(?:fortnightly|biweekly|bi-weekly)\b|\b(?:every|each) fortnight\b", "every two weeks"),
    ("quarterly", r"\bquarterly\b|\bevery quarter\b", "every 3 months"),
    ("ly|lich", r"\b(?:weekly|wöchentlich)\b", "every week"),
    ("ly|lich", r"\b(?:monthly|monatlich)\b", "every month"),
    ("ly|lich", r"\b(?:yearly|annually|jährlich)\b", "every year"),
    ("ly|lich", r"\bhourly\b|\bstündlich\b", "every hour"),
    ("daily|lich|every", r"\b(?:daily|everyday|täglich)\b", "every day"),
    ("once", r"\bonce (?=an? (?:day|week|month|year|hour)\b|(?:per|every) )", "every "),
    ("every a", r"\bevery  ?(?:an?|per|every) ", "every "),
    ("seven", r"\bevery seven days\b", "every week"),
    ("mon|tue|wed|thu|fri|sat|sun", rf"\b({_SHORT}) ?- ?({_SHORT})\b", _days),
    ("weekend", r"\bweekends?\b", "saturday sunday"),
    ("clock|24/7|night", r"\b(?:a?round the clock|24/7|day and night)\b", "24 hours"),
    ("half", r"\bhalf(?: the |[ -])(?=price|fare)", "50 % "),
    ("weekday|werktag", r"\bweekdays\b|\bwerktags\b", "monday to friday"),
    ("dis", r"\b(mardi|jeudi|lundi|vendredi|samedi)s\b|\b(mercredi)s\b|\b(dimanche)s\b",
     lambda found: found[0][:-1]),
    ("at |till |until |by |about |around |um ",
     r"(?<=\b(?:at|till|until|by|about|around|um) )(five|ten|twenty|fünf|zehn|zwanzig)(?: minutes)? "
     r"(past|after|to|vor|nach) (\p{L}+|\p{Nd}{1,2})\b", _minutes),
    ("meio", r"\bmeio-dia\b", "noon"),
    ("meia", r"\bmeia-noite\b", "midnight"),
    ("0h|1h|2h|3h|4h|5h|6h|7h|8h|9h|0 h|1 h|2 h|3 h|4 h|5 h|6 h|7 h|8 h|9 h",
     r"(?<=\b(?:à|às|at|as|vers|dès|d'ici|até) )(\p{Nd}{1,2}) ?(?:h|heures|horas)\b(?! ?\p{Nd})", r"\1:00"),
    ("demi|media|mezz|meia",
     rf"(?<=\b(?:à|a las|alle|às) ){_NUMBER}(?: heures?)? (?:et demie?|y media|e mezz[ao]|e meia)\b",
     _half_past),
    ("di sera|pomeriggio|da noite|tarde|noche|soir|après|abend|mittag|evening|afternoon|night|вечера|дня",
     rf"\b{_NUMBER}(?: ?o'clock| uhr| heures?| часов| часа| horas)? "
     r"(?:di sera|del pomeriggio|da noite|da tarde|de la tarde|de la noche|du soir|de l'après-midi|am abend"
     r"|am nachmittag|in the evening|in the afternoon|at night|вечера|дня)(?!\p{L})", _part_of_day("pm")),
    ("mattin|manhã|mañana|matin|morgen|morning|утра",
     rf"\b{_NUMBER}(?: ?o'clock| uhr| heures?| часов| часа| horas)? "
     r"(?:di mattina|del mattino|da manhã|de la mañana|du matin|am morgen|in the morning|утра)(?!\p{L})",
     _part_of_day("am")),
    ("clock", r"\bo'clock (?=[ap]\.?m)", ""),
    ("alle", r"(?<=\balle )(due|sei|otto)\b(?! \p{L}{4})", lambda found: f"{_ITALIAN[found[0]]}"),
    ("dix|vingt", r"\bdix-(sept|huit|neuf)\b", lambda found: f"{10 + NUMBER_WORDS[found[1]]}"),
    ("dix|vingt", r"\bquatre-vingt-dix\b", "90"),
    ("dix|vingt", r"\bquatre-vingts?\b", "80"),
    ("dix|vingt", r"\bsoixante-dix\b", "70"),
    ("halb|полт", r"\b(?:anderthalb|eineinhalb|полтора|полторы)\b", "1.5"),
    ("mezz|полчаса|半", r"\bmezz'?ora\b|\bполчаса\b|半个?小时|半時間", "30 min"),
    ("three quarters", r"\bthree quarters of an hour\b", "45 minutes"),
    ("千|百|十", r"[一二三四五六七八九两千百十]*[千百十][一二三四五六七八九十]*", _han_number),
    ("点|點|時|时", r"(?:晚上|下午|午後|傍晚|夜)([\p{Nd}一二三四五六七八九十两]+)[点點時时]",
     lambda found: f"{_HAN.get(found[1], found[1])} pm"),
    ("点|點|時|时", r"(?:早上|上午|午前|凌晨)([\p{Nd}一二三四五六七八九十两]+)[点點時时]",
     lambda found: f"{_HAN.get(found[1], found[1])} am"),
    ("点半|點半|時半|时半", r"([\p{Nd}一二三四五六七八九两]+)[点點時时]半",
     lambda found: f"{_HAN.get(found[1], found[1])}:30"),
    ("点|點|時|时", r"(\p{Nd}{1,2}|[一二三四五六七八九两])[点點時时](?![間间])",
     lambda found: f"{_HAN.get(found[1], found[1])}:00"),
    ("cent", r"\bper ?cent\b", "percent"),
    ("cent", r"\bcent (?=\p{L}{4})", "100 "),
    ("个", "个(?=月|小时|星期)", ""),
)  # fmt: skip
_RULES = rules(_WRITTEN)

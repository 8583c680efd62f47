"""Words for days, weeks, months and years seen from a day: English, and the basics of German, French and Spanish.

Only what has one reading: "next Friday" (this week's or the one after?), "in two weeks" (when, or how long?) and "the
last month" (which one, or thirty days?) are left as they stand. A date nobody meant is worse than none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import regex


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """How a language says one thing; the groups of the pattern say which day."""

    pattern: regex.Pattern[str]
    language: str
    unit: str  # day, week, month, year, weekday or weekend; "" when the pattern's group `unit` says it
    step: int  # units from the reference: -1 the one before; 0 with a group `n` that counts back


MONTHS: Mapping[str, Sequence[str]] = {
    "en": "January February March April May June July August September October November December".split(),
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(),
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split(),
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split(),
}
# Monday is 0, as in `datetime.date.weekday`.
WEEKDAYS: Mapping[str, int] = {
    name: number
    for names in (
        "monday tuesday wednesday thursday friday saturday sunday",
        "montag dienstag mittwoch donnerstag freitag samstag sonntag",
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "lunes martes miércoles jueves viernes sábado domingo",
    )
    for number, name in enumerate(names.split())
} | {"sonnabend": 5}
UNITS: Mapping[str, str] = {
    word: unit
    for unit, words in {
        "day": "day days tag tage tagen jour jours día días dia dias",
        "week": "week weeks woche wochen semaine semaines semana semanas",
        "month": "month months monat monate monaten mois mes meses",
        "year": "year years jahr jahre jahren an ans année années año años",
        "weekend": "weekend wochenende",
    }.items()
    for word in words.split()
}
NUMBERS: Mapping[str, int] = {
    word: number
    for number, words in enumerate(
        (
            "a an one ein eine einem einer un une una uno",
            "two zwei deux dos",
            "three drei trois tres",
            "four vier quatre cuatro",
            "five fünf cinq cinco",
            "six sechs seis",
            "seven sieben sept siete",
            "eight acht huit ocho",
            "nine neun neuf nueve",
            "ten zehn dix diez",
            "eleven elf onze once",
            "twelve zwölf douze doce",
        ),
        start=1,
    )
    for word in words.split()
}

_N = rf"(?P<n>\d{{1,3}}|{'|'.join(sorted(NUMBERS, key=len, reverse=True))})"
_EN_DAY = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_DE_DAY = "montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag"
_FR_DAY = "lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche"
_ES_DAY = "lunes|martes|miércoles|jueves|viernes|sábado|domingo"
_EN_UNIT = r"(?P<unit>week|month|year|weekend)(?!\s+(?:of|in)\b)"
_NOT_THE = r"(?<!\bthe )(?<!\bat )"


def _rule(language: str, words: str, unit: str = "", step: int = 0) -> Rule:
    # A word that goes on behind a hyphen is another word.
    pattern = regex.compile(rf"(?<![\w'’-])(?:{words})(?:['’]s)?(?![\w-])", regex.IGNORECASE)
    return Rule(pattern=pattern, language=language, unit=unit, step=step)


# Longer ones first: of two that begin at the same place the first counts.
RULES: Sequence[Rule] = (
    _rule("en", "the day before yesterday", "day", -2),
    _rule("en", "the day after tomorrow", "day", 2),
    _rule("en", r"yesterday(?:\s+(?:morning|afternoon|evening|night))?|last night", "day", -1),
    _rule("en", r"tomorrow(?:\s+(?:morning|afternoon|evening|night))?", "day", 1),
    _rule("en", r"today|tonight|this (?:morning|afternoon|evening)", "day", 0),
    _rule("en", rf"{_N}\s+(?P<unit>days?|weeks?|months?|years?)\s+ago"),
    _rule("en", rf"(?:this\s+past|last|past)\s+(?P<weekday>{_EN_DAY})", "weekday", -1),
    _rule("en", rf"(?:this\s+coming|the\s+coming|coming|this)\s+(?P<weekday>{_EN_DAY})", "weekday", 1),
    _rule("en", rf"{_NOT_THE}last\s+{_EN_UNIT}", "", -1),
    _rule("en", rf"{_NOT_THE}this\s+{_EN_UNIT}", "", 0),
    _rule("en", rf"{_NOT_THE}next\s+(?P<unit>week|month|year)(?!\s+(?:of|in)\b)", "", 1),
    _rule("de", "vorgestern", "day", -2),
    _rule("de", "übermorgen", "day", 2),
    _rule("de", r"gestern(?:\s+(?:morgen|vormittag|mittag|nachmittag|abend))?", "day", -1),
    _rule("de", r"heute(?:\s+(?:morgen|früh|vormittag|mittag|nachmittag|abend))?", "day", 0),
    _rule("de", r"(?-i:morgen)(?:\s+(?:früh|vormittag|mittag|nachmittag|abend))?", "day", 1),
    _rule("de", rf"vor\s+{_N}\s+(?P<unit>tag(?:en)?|wochen?|monat(?:en)?|jahr(?:en)?)"),
    _rule("de", rf"(?:letzten|vergangenen|vorigen)\s+(?P<weekday>{_DE_DAY})", "weekday", -1),
    _rule("de", rf"(?:kommenden|diesen)\s+(?P<weekday>{_DE_DAY})", "weekday", 1),
    _rule("de", r"(?:letzte[nrs]?|vergangene[nrs]?|vorige[nrs]?)\s+(?P<unit>woche|monat|jahr|wochenende)", "", -1),
    _rule("de", r"(?:nächste[nrs]?|kommende[nrs]?)\s+(?P<unit>woche|monat|jahr)", "", 1),
    _rule("fr", "avant-hier", "day", -2),
    _rule("fr", "après-demain", "day", 2),
    _rule("fr", r"hier(?:\s+(?:matin|soir|après-midi))?", "day", -1),
    _rule("fr", r"aujourd['’]hui", "day", 0),
    _rule("fr", r"demain(?:\s+(?:matin|soir|après-midi))?", "day", 1),
    _rule("fr", rf"il\s+y\s+a\s+{_N}\s+(?P<unit>jours?|semaines?|mois|ans?|années?)(?!\s+(?:que|par)\b)"),
    _rule("fr", rf"(?P<weekday>{_FR_DAY})\s+dernier", "weekday", -1),
    _rule("fr", rf"(?:ce\s+(?P<weekday>{_FR_DAY})|(?P<weekday>{_FR_DAY})\s+prochain)", "weekday", 1),
    _rule("fr", r"(?:la\s+|le\s+|l['’])(?P<unit>semaine|mois|année|an)\s+(?:derni(?:er|ère)|passée?)", "", -1),
    _rule("fr", r"(?:la\s+|le\s+|l['’])(?P<unit>semaine|mois|année|an)\s+prochaine?", "", 1),
    _rule("es", "anteayer|antier", "day", -2),
    _rule("es", "pasado mañana", "day", 2),
    _rule("es", r"ayer|anoche", "day", -1),
    _rule("es", r"hoy", "day", 0),
    _rule("es", rf"(?<!\bdesde )hace\s+{_N}\s+(?P<unit>días?|semanas?|mes(?:es)?|años?)(?!\s+que\b)"),
    _rule("es", rf"el\s+(?P<weekday>{_ES_DAY})\s+pasado|el\s+pasado\s+(?P<weekday>{_ES_DAY})", "weekday", -1),
    _rule("es", rf"este\s+(?P<weekday>{_ES_DAY})|el\s+próximo\s+(?P<weekday>{_ES_DAY})", "weekday", 1),
    _rule("es", r"(?:la|el)\s+(?P<unit>semana|mes|año)\s+pasad[oa]", "", -1),
    _rule("es", r"(?:la|el)\s+(?P<unit>semana|mes|año)\s+que\s+viene|(?:la|el)\s+próxim[oa]\s+(?P<unit>semana|mes|año)",
          "", 1),
)  # fmt: skip

# Words that tell a language where one of its own is another's too ("hier" is "here" in German).
TELLING: Mapping[str, regex.Pattern[str]] = {
    language: regex.compile(rf"(?<!\w)(?:{'|'.join(words.split())})(?!\w)", regex.IGNORECASE)
    for language, words in {
        "de": "ich wir er sie es ist sind war waren hat habe haben der die das den dem ein eine und nicht mit bei am "
        "im zum zur fliege gehe kommt",
        "fr": "je j' nous vous il elle ils elles on est sont était a ai avons ont le la les l' un une des du et ne pas "
        "avec dans chez au",
    }.items()
}
SHARED: Mapping[str, str] = {"hier": "fr", "morgen": "de"}

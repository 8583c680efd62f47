"""Words for days, weeks, months and years seen from a day: English, and the basics of five other languages.

German, French, Spanish, and Chinese and Japanese, whose words stand without spaces between them.

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
    unit: str  # day, week, month, quarter, year, weekday, weekend or week's day; "": the pattern's group `unit` says it
    step: int  # units from the reference: -1 the one before; times the group `n` where there is one


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
        "一 二 三 四 五 六 日",
        "月 火 水 木 金 土 日",
        "monday tuesday wednesday thursday friday saturday sunday",
        "montag dienstag mittwoch donnerstag freitag samstag sonntag",
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "lunes martes miércoles jueves viernes sábado domingo",
    )
    for number, name in enumerate(names.split())
} | {"sonnabend": 5, "天": 6}
UNITS: Mapping[str, str] = {
    word: unit
    for unit, words in {
        "day": "day days tag tage tagen jour jours día días dia dias 天 日",
        "week": "week weeks woche wochen semaine semaines semana semanas 周 週 周间 週間 星期 礼拜",
        "month": "month months monat monate monaten monats mois mes meses 月 个月 個月 か月 ヶ月 カ月 ヵ月 ケ月",
        "year": "year years jahr jahre jahren jahres an ans année années año años 年",
        "quarter": "quarter quarters quartal quartale quartalen quartals trimestre trimestres 季度 四半期",
        "weekend": "weekend wochenende week-end",
    }.items()
    for word in words.split()
}
NUMBERS: Mapping[str, int] = {
    word: number
    for number, words in enumerate(
        (
            "a an one ein eine einem einer un une una uno 一",
            "two zwei deux dos 二 两 兩",
            "three drei trois tres 三",
            "four vier quatre cuatro 四",
            "five fünf cinq cinco 五",
            "six sechs seis 六",
            "seven sieben sept siete 七",
            "eight acht huit ocho 八",
            "nine neun neuf nueve 九",
            "ten zehn dix diez 十",
            "eleven elf onze once 十一",
            "twelve zwölf douze doce 十二",
        ),
        start=1,
    )
    for word in words.split()
}

COUNT = rf"(?P<n>\d{{1,3}}|{'|'.join(sorted(NUMBERS, key=len, reverse=True))})"
EN_DAY = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
DE_DAY = "montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag"
FR_DAY = "lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche"
ES_DAY = "lunes|martes|miércoles|jueves|viernes|sábado|domingo"
_EN_UNIT = r"(?P<unit>week|month|year|weekend)(?!\s+(?:of|in)\b)"
_NOT_THE = r"(?<!\bthe )(?<!\bat )"
_DENSE_PART = "(?:早上|上午|下午|晚上|の?(?:朝|午前|午後|夜|晩))?"
DENSE_COUNT = r"(?<![\d月年一二三四五六七八九十百千几数])(?P<n>\d{1,3}|十[一二]?|[一二两兩三四五六七八九])\s?"


def rule(language: str, words: str, unit: str, step: int) -> Rule:
    """Return the rule for whole words of a language."""
    # A word that goes on behind a hyphen is another word.
    pattern = regex.compile(rf"(?<![\w'’-])(?:{words})(?:['’]s)?(?![\w-])", regex.IGNORECASE)
    return Rule(pattern=pattern, language=language, unit=unit, step=step)


def dense(words: str, unit: str, step: int) -> Rule:
    """Return the rule for words of Chinese or Japanese, which have no spaces to tell where a word ends."""
    return Rule(pattern=regex.compile(words), language="cjk", unit=unit, step=step)


# Longer ones first: of two that begin at the same place the first counts.
RULES: Sequence[Rule] = (
    rule("en", "the day before yesterday", "day", -2),
    rule("en", "the day after tomorrow", "day", 2),
    rule("en", r"yesterday(?:\s+(?:morning|afternoon|evening|night))?|last night", "day", -1),
    rule("en", r"tomorrow(?:\s+(?:morning|afternoon|evening|night))?", "day", 1),
    rule("en", r"today|tonight|this (?:morning|afternoon|evening)", "day", 0),
    rule("en", rf"{COUNT}\s+(?P<unit>days?|weeks?|months?|years?)\s+ago", "", -1),
    rule("en", rf"(?:this\s+past|last|past)\s+(?P<weekday>{EN_DAY})", "weekday", -1),
    rule("en", rf"(?:this\s+coming|the\s+coming|coming|this)\s+(?P<weekday>{EN_DAY})", "weekday", 1),
    rule("en", rf"{_NOT_THE}last\s+{_EN_UNIT}", "", -1),
    rule("en", rf"{_NOT_THE}this\s+{_EN_UNIT}", "", 0),
    rule("en", rf"{_NOT_THE}next\s+(?P<unit>week|month|year)(?!\s+(?:of|in)\b)", "", 1),
    rule("de", "vorgestern", "day", -2),
    rule("de", "übermorgen", "day", 2),
    rule("de", r"gestern(?:\s+(?:morgen|vormittag|mittag|nachmittag|abend))?", "day", -1),
    rule("de", r"heute(?:\s+(?:morgen|früh|vormittag|mittag|nachmittag|abend))?", "day", 0),
    rule("de", r"(?-i:morgen)(?:\s+(?:früh|vormittag|mittag|nachmittag|abend))?", "day", 1),
    rule("de", rf"vor\s+{COUNT}\s+(?P<unit>tag(?:en)?|wochen?|monat(?:en)?|jahr(?:en)?)", "", -1),
    rule("de", rf"(?:letzten|vergangenen|vorigen)\s+(?P<weekday>{DE_DAY})", "weekday", -1),
    rule("de", rf"(?:kommenden|diesen)\s+(?P<weekday>{DE_DAY})", "weekday", 1),
    rule("de", r"(?:letzte[nrs]?|vergangene[nrs]?|vorige[nrs]?)\s+(?P<unit>woche|monat|jahr|wochenende)", "", -1),
    rule("de", r"(?:nächste[nrs]?|kommende[nrs]?)\s+(?P<unit>woche|monat|jahr)", "", 1),
    rule("fr", "avant-hier", "day", -2),
    rule("fr", "après-demain", "day", 2),
    rule("fr", r"hier(?:\s+(?:matin|soir|après-midi))?", "day", -1),
    rule("fr", r"aujourd['’]hui", "day", 0),
    rule("fr", r"demain(?:\s+(?:matin|soir|après-midi))?", "day", 1),
    rule("fr", rf"il\s+y\s+a\s+{COUNT}\s+(?P<unit>jours?|semaines?|mois|ans?|années?)(?!\s+(?:que|par)\b)", "", -1),
    rule("fr", rf"(?P<weekday>{FR_DAY})\s+dernier", "weekday", -1),
    rule("fr", rf"(?:ce\s+(?P<weekday>{FR_DAY})|(?P<weekday>{FR_DAY})\s+prochain)", "weekday", 1),
    rule("fr", r"(?:la\s+|le\s+|l['’])(?P<unit>semaine|mois|année|an)\s+(?:derni(?:er|ère)|passée?)", "", -1),
    rule("fr", r"(?:la\s+|le\s+|l['’])(?P<unit>semaine|mois|année|an)\s+prochaine?", "", 1),
    rule("es", "anteayer|antier", "day", -2),
    rule("es", "pasado mañana", "day", 2),
    rule("es", r"ayer|anoche", "day", -1),
    rule("es", r"hoy", "day", 0),
    rule("es", rf"(?<!\bdesde )hace\s+{COUNT}\s+(?P<unit>días?|semanas?|mes(?:es)?|años?)(?!\s+que\b)", "", -1),
    rule("es", rf"el\s+(?P<weekday>{ES_DAY})\s+pasado|el\s+pasado\s+(?P<weekday>{ES_DAY})", "weekday", -1),
    rule("es", rf"este\s+(?P<weekday>{ES_DAY})|el\s+próximo\s+(?P<weekday>{ES_DAY})", "weekday", 1),
    rule("es", r"(?:la|el)\s+(?P<unit>semana|mes|año)\s+pasad[oa]", "", -1),
    rule("es", r"(?:la|el)\s+(?P<unit>semana|mes|año)\s+que\s+viene|(?:la|el)\s+próxim[oa]\s+(?P<unit>semana|mes|año)",
          "", 1),
    dense(rf"{DENSE_COUNT}(?P<unit>天|日|周|週間?|个?星期|个?礼拜|[个個かヶカヵケ]月|年)(?:以?前)(?!後|后)", "", -1),
    dense(r"[上先](?:个|個)?(?:周|週|星期|礼拜)の?(?P<weekday>[一二三四五六日天])", "week's day", -1),
    dense(r"先週の?(?P<weekday>[月火水木金土日])曜日?", "week's day", -1),
    dense(r"(?:下(?:个|個)?(?:周|週|星期|礼拜))(?P<weekday>[一二三四五六日天])", "week's day", 1),
    dense(r"来週の?(?P<weekday>[月火水木金土日])曜日?", "week's day", 1),
    dense(r"(?:这|這|本)(?:个|個)?(?:周|週|星期|礼拜)(?P<weekday>[一二三四五六日天])", "week's day", 0),
    dense(r"今週の?(?P<weekday>[月火水木金土日])曜日?", "week's day", 0),
    dense("(?<!大)前天|一昨日|おととい", "day", -2),
    dense("(?<!大)[后後]天(?![性的])|明後日|あさって", "day", 2),
    dense(f"昨[晚夜]|(?:昨[天日]|きのう){_DENSE_PART}", "day", -1),
    dense(f"今[晚早晨夜朝]|(?:今[天日]|きょう){_DENSE_PART}", "day", 0),
    dense(f"明[晚早晨]|(?:明[天日]|あした){_DENSE_PART}", "day", 1),
    dense("(?:上个?|上個|先)(?:周末|週末)", "weekend", -1),
    dense("(?:上个?|上個)(?:周|週|星期|礼拜)(?![一二三四五六日天末年岁歲])|先週(?!末)", "week", -1),
    dense("(?:这个?|這個?|本)(?:周|週|星期|礼拜)(?![一二三四五六日天末年岁歲])|今週(?!末)", "week", 0),
    dense("(?:下个?|下個)(?:周|週|星期|礼拜)(?![一二三四五六日天末年岁歲])|来週(?!末)", "week", 1),
    dense("上个?月|上個月|先月", "month", -1),
    dense("[这這][个個]月|本月|今月", "month", 0),
    dense("下个?月|下個月|来月", "month", 1),
    dense("去年|昨年", "year", -1),
    dense("今年", "year", 0),
    dense("明年(?!度)|来年", "year", 1),
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

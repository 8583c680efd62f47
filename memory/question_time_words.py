"""How questions name times: the words of `relative_words`, and those that a statement leaves open.

"In May", "last spring", "next Friday" and "the last three weeks" have more than one reading. A statement is not dated
by them; a question is, because the time that is read off it only raises what lies there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import regex

from memory.relative_words import COUNT, DENSE_COUNT, EN_DAY, RULES, UNITS, WEEKDAYS, Rule, dense, rule

# Longer ones first, as there.
QUESTION_RULES: Sequence[Rule] = (
    rule("en", rf"next\s+(?P<weekday>{EN_DAY})", "weekday", 1),
    rule("en", rf"(?P<weekday>{EN_DAY})\s+(?:of\s+)?last\s+week", "week's day", -1),
    rule("en", rf"last\s+week['’]s\s+(?P<weekday>{EN_DAY})", "week's day", -1),
    rule("en", rf"in\s+(?!an?\s){COUNT}\s+(?P<unit>days?|weeks?|months?|years?)(?:['’]\s*time)?", "", 1),
    rule("en", rf"{COUNT}\s+(?P<unit>days?|weeks?|months?|years?)\s+from\s+now", "", 1),
    rule("en", r"last\s+(?P<unit>quarter)", "", -1),
    rule("en", r"this\s+(?P<unit>quarter)", "", 0),
    rule("en", r"next\s+(?P<unit>quarter|weekend)", "", 1),
    rule("de", rf"in\s+{COUNT}\s+(?P<unit>tag(?:en)?|wochen?|monat(?:en)?|jahr(?:en)?)", "", 1),
    rule("de", r"(?:letzte[nrsm]?|vergangene[nrsm]?|vorige[nrsm]?)\s+(?P<unit>monats|jahres|quartals?)", "", -1),
    rule("de", r"diese[nrsm]?\s+(?P<unit>woche|monats?|jahre?s?|quartals?|wochenende)", "", 0),
    rule("fr", rf"dans\s+{COUNT}\s+(?P<unit>jours?|semaines?|mois|ans?|années?)", "", 1),
    rule("fr", r"(?P<unit>semaine|mois|année|an|trimestre|week-end)\s+(?:derni(?:er|ère)|passée?)", "", -1),
    rule("fr", r"(?:ce|cet|cette)\s+(?P<unit>semaine|mois|année|an|trimestre|week-end)(?!-)", "", 0),
    rule("fr", r"ce\s+(?:matin|soir)|cet\s+après-midi|cette\s+nuit", "day", 0),
    rule("fr", r"la\s+nuit\s+dernière", "day", -1),
    rule("es", rf"dentro\s+de\s+{COUNT}\s+(?P<unit>días?|semanas?|mes(?:es)?|años?)", "", 1),
    rule("es", r"(?P<unit>semana|mes|año|trimestre)\s+pasad[oa]", "", -1),
    rule("es", r"pasad[oa]\s+(?P<unit>semana|mes|año|trimestre)", "", -1),
    rule("es", r"est[ea]\s+(?P<unit>semana|mes|año|trimestre)", "", 0),
    rule("es", r"esta\s+(?:mañana|tarde|noche)", "day", 0),
    rule("es", r"mañana(?:\s+por\s+la\s+(?:mañana|tarde|noche))?", "day", 1),
    dense(rf"{DENSE_COUNT}(?P<unit>天|日|周|週間?|个?星期|个?礼拜|[个個かヶカヵケ]月|年)(?:[之以]?[后後])", "", 1),
    dense("上个?(?P<unit>季度)", "", -1),
    dense("这个?(?P<unit>季度)|本(?P<unit>季度)", "", 0),
    *RULES,
)  # fmt: skip

# "The last three weeks": up to now. Three are what "a few" most often are.
FEW = 3
UNIT_DAYS: Mapping[str, float] = {"day": 1, "week": 7, "weekend": 7, "month": 30.44, "quarter": 91.3, "year": 365.25}
_FEW = "few|couple\\s+of|several|paar|quelques|pocos|pocas|几个?"
ROLLING: Sequence[regex.Pattern[str]] = tuple(
    regex.compile(words, regex.IGNORECASE)
    for words in (
        rf"\b(?:last|past|previous)\s+(?:{COUNT}|(?P<few>{_FEW}))\s+(?P<unit>days?|weeks?|months?|years?)\b",
        r"\bthe\s+(?:last|past)\s+(?P<unit>day|week|month|year)\b(?!\s+of\b)",
        rf"\b(?:letzten|vergangenen)\s+(?:{COUNT}|(?P<few>{_FEW}))\s+(?P<unit>tagen?|wochen|monaten?|jahren?)\b",
        rf"\b(?:{COUNT}|(?P<few>{_FEW}))\s+derni(?:ers|ères)\s+(?P<unit>jours|semaines|mois|ans|années)\b",
        rf"\b[úu]ltim[oa]s\s+(?:{COUNT}|(?P<few>{_FEW}))\s+(?P<unit>d[íi]as|semanas|meses|años)\b",
        rf"(?:最近|过去|過去|この|ここ)の?(?:{DENSE_COUNT}|(?P<few>几个?|数))"
        r"(?P<unit>天|日|周|週|星期|[个個かヶカヵケ]?月|年)(?!前)間?",
    )
)

# The months that a season or a quarter begins in; both last three. Seasons are those of the northern half of the earth.
_JA_BEHIND = "(?![^にのはかまも、。?？])"
SEASONS: Mapping[int, tuple[str, str]] = {  # words with spaces around them, and without
    3: ("spring|spring-?time|frühling|frühjahr|printemps|primavera", f"春[天季]|春{_JA_BEHIND}"),
    6: ("summer|summer-?time|sommer|été|verano", f"夏[天季]|夏{_JA_BEHIND}"),
    9: ("autumn|fall|herbst|automne|otoño", f"秋[天季]|秋{_JA_BEHIND}"),
    12: ("winter|winter-?time|hiver|invierno", f"冬[天季]|冬{_JA_BEHIND}"),
}
_ORDINALS = {
    1: ("first|1st|erste[nsrm]?|1\\.|premier|1er|primer|1\\.?º", "第[一1１]"),
    2: ("second|2nd|zweite[nsrm]?|2\\.|deuxième|2e|segundo|2\\.?º", "第[二2２]"),
    3: ("third|3rd|dritte[nsrm]?|3\\.|troisième|3e|tercer|3\\.?º", "第[三3３]"),
    4: ("fourth|4th|vierte[nsrm]?|4\\.|quatrième|4e|cuarto|4\\.?º", "第[四4４]"),
}
QUARTERS: Mapping[int, tuple[str, str]] = {
    3 * number - 2: (rf"q{number}|(?:{latin})\s*(?:quarter|quartals?|trimestre)", f"{dense}(?:季度|四半期)")
    for number, (latin, dense) in _ORDINALS.items()
}
# Which ten years a word means; digits say it themselves.
DECADE_WORDS: Mapping[str, int] = {
    "sixties": 1960, "seventies": 1970, "eighties": 1980, "nineties": 1990,
    "sechziger": 1960, "siebziger": 1970, "achtziger": 1980, "neunziger": 1990,
}  # fmt: skip
DECADE = regex.compile(
    rf"(?<![\w])(?:(?P<word>{'|'.join(DECADE_WORDS)})(?:n|\s+jahren?)?(?!\w)"
    r"|(?P<full>1[5-9]\d0|20\d0)(?:['’]?s|er(?:[\s-]*jahren?)?)(?!\w)"
    r"|['’]?(?P<short>[1-9]0)(?:['’]?s|er(?:n|[\s-]*jahren?)?)(?!\w)"
    r"|(?:années|años)\s+(?:(?P<full>1[5-9]\d0|20\d0)|(?P<short>[1-9]0))(?!\w)"
    r"|(?:(?P<full>1[5-9]\d0|20\d0)|(?P<short>[1-9]0))年代)",
    regex.IGNORECASE,
)
EASTER = ("easter|ostern|pâques|pascua|semana\\s+santa", "复活节|復活節|イースター")
CHRISTMAS = ("christmas|xmas|weihnachten|noël|navidad", "圣诞节?|聖誕節?|クリスマス")

# What must stand before a month, a day of the week or a season that is alone, since "may", "march", "fall", "mars",
# "April" and "mayo" are other words and names too. Then an article and how early or late it was.
_BEFORE = "before|prior\\s+to|vor|avant|antes\\s+del?"
_UNTIL = "as\\s+of|until|till|by|up\\s+to|bis|jusqu['’](?:en|au|à)|hasta"
_SINCE = "since|seit|ab|depuis|dès|desde|自|自从|自從"
_AFTER = "after|following|nach|après|después\\s+del?"
_IN = (
    "in|on|during|from|between|through|around|of|at|over|im|am|an|zu|von|vom|zwischen|zum|während|en|au|à|pendant|entre"
    "|du|de|el|del|durante|les|le|for"
)
_ARTICLE = "the|dem|den|der|des|le|la|les|l['’]|el|los"
EARLY_LATE: Mapping[int, str] = {
    0: "early|(?:the\\s+)?(?:beginning|start)\\s+of|anfang|(?:au\\s+)?début|(?:a\\s+)?(?:principios|comienzos)",
    1: "mid|(?:the\\s+)?middle\\s+of|mitte|(?:à\\s+la\\s+)?mi|(?:a\\s+)?mediados",
    2: "late|(?:the\\s+)?end\\s+of|ende|(?:à\\s+la\\s+)?fin|(?:a\\s+)?fin(?:es|ales)",
}
# "The week before 9 June" is that week and not all the time before.
_NEAR = "|".join(
    [*(name for name in WEEKDAYS if len(name) > 1), *(name for name in UNITS if name.isascii() and len(name) > 2)]
)
LAST = "last|past|previous|(?:letzte|vergangene|vorige)[nrsm]?"
THIS = "this|diese[nrsm]?|cet|cette|ce|este|esta"
NEXT = "next|coming|upcoming|(?:nächste|kommende)[nrsm]?"
LAST_BEHIND = regex.compile(r"\s+(?:derni(?:er|ère)|passée?|pasad[oa])\b", regex.IGNORECASE)
NEXT_BEHIND = regex.compile(r"\s+(?:prochaine?|que\s+viene|próxim[oa])\b", regex.IGNORECASE)
LEAD = regex.compile(
    rf"(?:(?<!\w)(?:(?P<near>{_NEAR})\s+(?=(?:{_BEFORE}|{_AFTER})\b))?(?:(?:(?P<before>{_BEFORE})|(?P<until>{_UNTIL})|(?P<since>{_SINCE})|(?P<after>{_AFTER})|(?P<in>{_IN}))\s*)?"
    rf"(?:(?:{_ARTICLE})\s*)?(?P<part>(?P<part0>{EARLY_LATE[0]})|(?P<part1>{EARLY_LATE[1]})|(?P<part2>{EARLY_LATE[2]}))?"
    rf"(?:[\s-]*(?:de\s+|des\s+|du\s+)?(?:{_ARTICLE})?\s*)?(?:(?P<last>{LAST})|(?P<this>{THIS})|(?P<next>{NEXT}))?"
    r"[\s-]*)?$",
    regex.IGNORECASE,
)
# Chinese and Japanese say it behind.
BEHIND = regex.compile(
    r"\s?の?(?:(?P<before>[之以]前|前(?!半|后|後)|より前)|(?P<until>まで|为止|為止)|(?P<since>以来|以來|から|起)"
    r"|(?P<after>[之以][后後]|后(?!半)|後(?!半)|以降))"
)
# Between two named times: from the one to the other.
TO = regex.compile(
    r"\s*(?:(?P<sure>to|until|till|through|bis|jusqu['’](?:en|au|à)|hasta|到|至|から|[-–—〜~])|and|und|et|y|和|と|à|au|al?)"
    r"\s*(?:the\s+|dem\s+|den\s+|zum\s+|la\s+|le\s+|l['’]|el\s+)?",
    regex.IGNORECASE,
)
# What is not sure joins the ends of a range only behind such a word.
OPENING = regex.compile(
    r"(?:(?<!\w)(?:between|from|zwischen|von|vom|entre|del?|du|desde)|[从從自在])\s*"
    r"(?:the\s+|dem\s+|den\s+|la\s+|le\s+|el\s+|l['’])?$",
    regex.IGNORECASE,
)
# And how early or late it was in a month or year.
PART_BEHIND = regex.compile(r"の?(?:(?P<part0>初め?|上旬)|(?P<part1>中旬)|(?P<part2>末|下旬|底|终わり|終わり))")
# Between a month and its year.
OF_YEAR = regex.compile(r"\s*(?:,\s*|of\s+|in\s+|de\s+|del\s+|des\s+|d['’]|の)?(?:l['’]|the\s+)?", regex.IGNORECASE)
# A question about what is still to come.
AHEAD = regex.compile(
    r"(?<!\w)(?:will|going\s+to|plan(?:s|ned|ning)?|upcoming|shall|scheduled|due|werde[nt]?|wirst|wird|geplant|vas?\s+a|va[mn]os?\s+a"
    r"|planea|allons|vais|prévue?s?|prévoit)(?!\w)|会|將|将|打算|计划|予定|つもり",
    regex.IGNORECASE,
)
# The hours of a day: from and, exclusive, to. A night goes on until the morning of the next.
PARTS_OF_DAY: Sequence[tuple[regex.Pattern[str], tuple[int, int]]] = tuple(
    (regex.compile(words, regex.IGNORECASE), hours)
    for words, hours in (
        (r"last night|anoche|nuit dernière|昨晚|昨夜", (18, 30)),
        (r"tonight|(?:evening|night)$|abend$|soir$|(?:tarde|noche)$|今晚|明晚|今夜|晚上$|[夜晩]$", (18, 24)),
        (r"afternoon$|nachmittag$|après-midi$|下午$|午後$", (12, 18)),
        (r"morning$|heute (?:morgen|früh)|(?:gestern|vor)\s?(?:morgen|mittag)$|vormittag$|matin$|esta mañana"
         r"|今[早晨朝]|明[早晨]|早上$|上午$|午前$|朝$", (0, 12)),
    )
)  # fmt: skip

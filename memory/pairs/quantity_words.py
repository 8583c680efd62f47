"""Tables of the words with which people write numbers, measures, times of day, weekdays and months.

Left out are words that mean something else in another of these languages: "due", "once", "elf", "cent", "sei", "otto".
"One" and its like are left out too, because most of them are articles.
"""

from __future__ import annotations

from collections.abc import Mapping


def _counted(first: int, *lists: str) -> dict[str, int]:
    """Number the words of each list from `first` on; "-" holds a place."""
    return {
        word: number
        for words in lists
        for number, group in enumerate(words.split(), first)
        for word in group.split("/")
        if word != "-"
    }


NUMBER_WORDS: Mapping[str, int] = {
    **_counted(
        2,
        "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen twenty",
        "zwei drei vier fünf sechs sieben acht neun zehn - zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn "
        "achtzehn neunzehn zwanzig",
        "deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize - - - vingt",
        "dos tres cuatro cinco seis siete ocho nueve diez - doce trece catorce quince - - - - veinte",
        "dois/duas três quatro cinco seis sete oito nove dez onze doze treze catorze quinze - - - - vinte",
        "- tre quattro cinque - sette - nove dieci undici dodici tredici quattordici quindici - - - - venti",
        "два/две/двух три/трёх/трех четыре пять/пяти шесть семь восемь девять десять одиннадцать двенадцать",
        "twee drie vier vijf zes zeven acht negen tien",
        "två tre fyra fem sex sju åtta nio tio elva tolv",
        "dwa/dwie/dwóch trzy cztery pięć sześć siedem osiem dziewięć dziesięć",
        "iki üç dört beş altı yedi sekiz dokuz",
        "اثنان/اثنين ثلاثة/ثلاث أربعة/أربع خمسة/خمس ستة سبعة ثمانية تسعة عشرة",
        "- third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth",
        "zweite/zweiten dritte/dritten vierte/vierten fünfte/fünften",
        "deuxième troisième quatrième cinquième",
    ),
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
    "dreißig": 30, "dreissig": 30, "vierzig": 40, "fünfzig": 50, "sechzig": 60, "trente": 30, "quarante": 40,
    "cinquante": 50, "soixante": 60, "treinta": 30, "cuarenta": 40, "cincuenta": 50, "sesenta": 60, "trinta": 30,
    "quarenta": 40, "trenta": 30, "quaranta": 40, "двадцать": 20, "тридцать": 30, "сорок": 40, "пятьдесят": 50,
    "dwadzieścia": 20, "trzydzieści": 30, "yirmi": 20, "otuz": 30, "neunzig": 90,
    "achtzig": 80, "siebzig": 70, "septante": 70, "setenta": 70,
    "ochenta": 80, "noventa": 90, "oitenta": 80, "cinquanta": 50, "sessanta": 60, "settanta": 70, "ottanta": 80,
    "novanta": 90,
    "пятнадцать": 15, "шестьдесят": 60, "семьдесят": 70, "восемьдесят": 80, "девяносто": 90, "twintig": 20,
    "dertig": 30,
    "veertig": 40, "vijftig": 50, "tjugo": 20, "trettio": 30, "fyrtio": 40, "femtio": 50, "kırk": 40, "elli": 50,
    "fifteenth": 15, "twentieth": 20, "eighteenth": 18, "thirtieth": 30,
    "doscientos": 200, "doscientas": 200, "trescientos": 300, "quinientos": 500, "duzentos": 200, "trezentos": 300,
    "quinhentos": 500, "duecento": 200, "trecento": 300, "cinquecento": 500, "двести": 200, "триста": 300,
    "четыреста": 400, "пятьсот": 500,
}  # fmt: skip
_MULTIPLES = {
    12: "dozen dutzend douzaine docena dúzia dozzina",
    100: "hundred hundreds hundert etti сто honderd cem cento cien ciento",
    1000: "thousand tausend mille mil тысяч тысячи tysięcy bin k duizend tusen",
    10_000: "万",
    1_000_000: "million millions millionen milliones millones milhões миллион миллиона mio mln miljoner",
}
MULTIPLES: Mapping[str, int] = {word: factor for factor, words in _MULTIPLES.items() for word in words.split()}
# They count by themselves; others, such as "k" or the German and Turkish "bin", only after a number.
BARE_MULTIPLES = frozenset(
    "hundred hundert honderd сто cem cento cien ciento thousand tausend mille тысяча duizend million "
    "dozen dutzend".split()
)
HUNDREDS: Mapping[str, int] = {"hundert": 100, "honderd": 100, "tausend": 1000, "duizend": 1000}


def _measured(kind: str, **units: str) -> dict[str, tuple[str, float]]:
    """Return the words of units; each keyword is the factor as "x" + number, with "_" for the point."""
    return {
        word: (kind, float(factor[1:].replace("_", ".")))
        for factor, words in units.items()
        for word in words.split()
    }  # fmt: skip


UNITS: Mapping[str, tuple[str, float]] = {
    **_measured(
        "time",
        x0_001="ms millisecond milliseconds",
        x1="s sec secs second seconds sekunde sekunden seconde secondes segundo segundos secondi секунд 秒",
        x60="min mins minute minutes minuten minuto minutos minuti минут минуты мин minut minuter dakika 分钟 分",
        x3600="h hr hrs hour hours stunde stunden std heure heures hora horas ora ore час часа часов godzin timmar "
        "saat 小时 時間 uur",
        x86400="day days tag tage tagen jour jours día días dia dias giorno giorni день дня дней dni dagar dagen "
        "gün 天",
        x604800="week weeks woche wochen semaine semaines semana semanas settimana settimane неделя недели недель "
        "неделю tydzień tygodnie vecka veckor hafta weken 周 星期",
        x1209600="fortnight fortnights",
    ),
    # A month is no number of days, and a year is no number of weeks.
    **_measured(
        "months",
        x1="month months monat monate monaten mois mes meses mês mesi месяц месяца месяцев miesiąc miesiące "
        "miesięcy ay maand maanden månader",
        x12="year years jahr jahre jahren ans année années año años ano anos anno anni год года лет lat år yıl jaar",
        x120="decade decades jahrzehnt jahrzehnte décennie década décadas",
    ),
    **_measured(
        "length",
        x0_001="mm millimetre millimetres millimeter millimeters",
        x0_01="cm centimetre centimetres centimeter centimeters zentimeter centimètres centímetros centimetri см",
        x1="m metre metres meter meters mètre mètres metro metros metri метр метра метров м 米",
        x0_3048="ft foot feet",
        x1609_344="mile miles meile meilen milles millas miglia",
        x1000="km kilometre kilometres kilometer kilometers kilomètres kilómetros chilometri км 公里",
    ),
    **_measured(
        "mass",
        x1="g gr gram grams gramme grammes gramm gramos grammi грамм г 克",
        x1000="kg kilo kilos kilogram kilograms kilogramm kilogramme kilogrammes кг 公斤",
        x1000000="t tonne tonnes tonnen",
    ),
    **_measured(
        "volume",
        x0_001="ml millilitre millilitres milliliter milliliters",
        x0_01="cl centilitre centilitres",
        x1="l liter liters litre litres litro litros litri литр литра литров л 升",
    ),
    **_measured("volume", x1000="cbm"),
    **_measured("area", x1="sqm", x10000="hectare hectares ha hektar"),
    **_measured("memory", x1="mb megabyte megabytes", x1000="gb gigabyte gigabytes", x1000000="tb terabyte terabytes"),
    **_measured("power", x1="w watt watts", x1000="kw kilowatt kilowatts", x1000000="mw megawatt megawatts"),
    **_measured("share", x1="% percent prozent pct procent porcento"),
    **_measured("heat", x1="° °c c celsius degrees degree grad degrés grados gradi"),
    **_measured("euros", x1="€ euro euros eur"),
    **_measured("dollars", x1="$ dollar dollars usd"),
    **_measured("pounds", x1="£ gbp"),
    **_measured("francs", x1="chf francs"),
    **_measured("kronor", x1="kronor"),
    **_measured("złoty", x1="zł złotych"),
    **_measured("roubles", x1="рублей рубля рубль"),
    **_measured("yuan", x1="元"),
    **_measured("yen", x1="円"),
    **_measured("cents", x0_01="cents centimes"),
    **_measured("pence", x0_01="pence"),
}
# Kinds of money: five euros are not five dollars.
MONEY = frozenset("euros dollars pounds francs kronor złoty roubles yuan yen cents pence".split())
ARTICLES = frozenset(
    "a an one ein eine einer einem einen un une una uno um uma en ett every each jede jeden jedes cada chaque ogni "
    "каждый каждую varje elke".split()
)
ORDINALS: Mapping[str, int] = _counted(
    1,
    "first second",
    "erste/ersten",
    "premier/première",
    "primero/primera segundo/segunda tercero/tercera",
    "primeiro/primeira - terceiro/terceira",
    "primo/prima secondo/seconda terzo/terza",
) | dict.fromkeys("last letzte letzten dernier dernière último última ultimo ultima последний".split(), -1)
# Of a measure; "half past seven" and "a quarter past" are times of day.
HALVES: Mapping[str, float] = dict.fromkeys(
    "half halb halbe halben halber demi meia meio media medio mezza mezz mezzo pół halv".split(), 0.5
) | {"quarter": 0.25, "viertel": 0.25, "quart": 0.25}  # fmt: skip

# "A quarter past", "a quarter to".
PAST_OR_TO: Mapping[str, int] = {"past": 1, "nach": 1, "after": 1, "over": 1, "to": -1, "vor": -1, "before": -1}
JOINING = frozenset("and und et y e en i och and".split())
# Of these kinds parts add up: an hour and thirty minutes.
SUMMED = frozenset(("time", "months", "length", "mass", "volume")) | MONEY
# How often: a count by itself.
TIMES: Mapping[str, float] = {
    "twice": 2, "thrice": 3, "zweimal": 2, "dreimal": 3, "viermal": 4, "couple": 2, "дважды": 2,
}  # fmt: skip

AFTERNOON = frozenset("pm p.m afternoon evening abends nachmittags".split())
MORNING = frozenset("am a.m morgens".split())
PARTS_OF_DAY = AFTERNOON | MORNING | frozenset(("uhr", "o", "oclock"))
CLOCK_WORDS: Mapping[str, int] = {
    "midnight": 0, "mitternacht": 0, "minuit": 0, "medianoche": 0, "mezzanotte": 0, "noon": 720, "midday": 720,
    "midi": 720, "mittag": 720, "mediodía": 720, "mezzogiorno": 720,
}  # fmt: skip

_WEEKDAYS = _counted(
    1,
    "monday tuesday wednesday thursday friday saturday sunday",
    "mondays tuesdays wednesdays thursdays fridays saturdays sundays",
    "montag dienstag mittwoch donnerstag freitag samstag/sonnabend sonntag",
    "montags dienstags mittwochs donnerstags freitags samstags sonntags",
    "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "lunes martes miércoles jueves viernes sábado/sábados domingo/domingos",
    "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira - -",
    "lunedì martedì mercoledì giovedì venerdì sabato domenica",
    "понедельник/понедельникам вторник/вторникам среда/среду/средам четверг/четвергам пятница/пятницу/пятницам "
    "суббота/субботу/субботам воскресенье/воскресеньям",
    "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    "måndag tisdag onsdag torsdag fredag lördag söndag",
    "poniedziałek wtorek środa/środę czwartek piątek sobota/sobotę niedziela/niedzielę",
    "pazartesi salı çarşamba perşembe cuma cumartesi pazar",
    "الاثنين الثلاثاء الأربعاء الخميس الجمعة السبت الأحد",
)
# Without "may" and "mars", which are other words too: they are compared as words.
# Short forms are words, names or articles elsewhere, so they count only beside what dates have.
MONTH_NAMES = "january february march april may june july august september october november december".split()
_MONTHS = _counted(
    1,
    "january february march april - june july august september october november december",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "janvier février - avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
)
DAY_OR_MONTH: Mapping[str, tuple[str, int]] = {word: ("weekday", day) for word, day in _WEEKDAYS.items()} | {
    word: ("month", month) for word, month in _MONTHS.items()
}
SHORT_DAYS: Mapping[str, int] = _counted(1, "mon tue/tues wed/weds thu/thur/thurs fri sat sun", "mo di mi do fr sa so")
BEFORE_DAYS = frozenset("on every each through until till from to by and next last am bis von jeden".split())
SHORT_MONTHS: Mapping[str, int] = _counted(
    1, "jan feb mar apr may jun jul aug sep/sept oct nov dec", "- - mars - - - - - - okt - dez"
)

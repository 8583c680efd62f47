"""Tables of words by which a statement is a preference or an episode, for about a dozen languages.

A missing word makes a statement a fact, which is the kind that claims the least. English first, one line a language.
"""

from __future__ import annotations


def _words(*lists: str) -> frozenset[str]:
    return frozenset(word for words in lists for word in words.split())


def _phrases(*lists: str) -> dict[str, tuple[str, ...]]:
    """Return phrases by their first word, each with a blank on both sides."""
    found: dict[str, tuple[str, ...]] = {}
    for phrase in (one.strip() for words in lists for one in words.split("|")):
        first = phrase.split()[0]
        found[first] = (*found.get(first, ()), f" {phrase} ")
    return found


# A taste by themselves, whoever has it.
TASTES = _words(
    "prefer prefers enjoy enjoys dislike dislikes adore adores detest detests loathe loathes",
    "lieber liebsten bevorzuge bevorzugt bevorzugen hasse",
    "préfère préfères préférons préfèrent j'aime j'adore déteste détestons",
    "prefiero prefiere preferimos prefieren odio detesto",
    "preferisco preferisce adoro amo",
    "prefiro prefere gosto gostamos detesto odeio",
    "люблю любит обожаю обожает ненавижу предпочитаю предпочитает нравится нравятся",
    "gillar älskar föredrar hatar avskyr",
    "houd liever haat",
    "wolę lubię uwielbiam nienawidzę",
    "severim seviyorum",
    "أحب أفضل أكره",
)
# Likings that are other words too: only behind a subject.
LIKINGS = _words("like likes love loves hate hates favour favours favor favors", "mag mögen liebe lieben")
SUBJECTS = _words("i we you he she they", "ich wir er sie")
# Kin and colleagues have tastes: "my son loves".
PEOPLE = _words(
    "son daughter wife husband partner mother father mum mom dad sister brother friend boss cat dog kids children "
    "parents",
    "grandmother grandfather aunt uncle colleague boyfriend girlfriend baby team family customer client everyone",
)
BETWEEN = _words(
    "really also just absolutely still always do does don't doesn't didn't not quite particularly especially generally "
    "usually especially both all never 'd",
    "auch sehr gern gerne nicht keine kein so gar",
)
# Behind these a taste is another's, told only to say who or what is meant, or not held at all.
ASIDE = _words("who whom whose that which if whether would could should might to", "wenn wer falls")
TASTE_PHRASES = _phrases(
    "can't stand|cannot stand|can't bear|can't abide|fan of|fond of|keen on|partial to|not my thing|not really my "
    "thing|"
    "just not my thing|my cup of tea|not for me|nothing beats|my go-to|go-to|would rather|i'd rather|we'd rather|"
    "he'd rather|she'd rather|they'd rather|i'd sooner|would sooner|would much rather|don't care for|don't care much "
    "for|"
    "doesn't care for|never cared for|if i can choose|if i have the choice|given the choice|try to avoid|tries to "
    "avoid|"
    "tend to avoid|steer clear of|opt for|opts for|mostly choose|always choose|always pick|always take|always order|"
    "always go for|usually choose|usually pick|usually order|usually go for|i'd prefer|i'd much prefer|we'd prefer|"
    "always loved|always hated|always liked|always preferred",
    "am liebsten|nicht mein ding|nicht ausstehen|nicht leiden|ziehe vor|stehe auf",
    "très peu pour moi|ne supporte pas|n'aime pas|aime bien|aime mieux|aime beaucoup|ai horreur",
    "me gusta|me gustan|le gusta|les gusta|nos gusta|me encanta|me encantan|le encanta|no soporto|no aguanto",
    "mi piace|mi piacciono|gli piace|le piace|non sopporto",
    "não suporto|não gosto",
    "терпеть не могу|не выношу|больше нравится",
    "tycker om|tål inte|hellre än",
    "hou van|hou niet|houdt van|hekel aan",
    "nie znoszę|nie cierpię|nie lubię|tercih ederim|nefret ederim",
)
# In scripts without spaces, and in Korean.
TASTE_PARTS = (
    "喜欢", "喜歡", "讨厌", "討厭", "最爱", "爱吃", "爱喝", "爱看", "宁愿", "宁可", "好き", "嫌い", "苦手", "좋아하",
    "좋아해",
    "좋아요", "싫어", "선호",
)  # fmt: skip
# Who declines to speak of something states no taste.
REFUSALS = _phrases(
    "prefer not to|rather not say|rather not talk|rather not tell|rather not discuss|would prefer not|'d prefer not",
    "lieber nicht sagen|lieber nicht darüber|mag nicht darüber|préfère ne pas|prefiero no decir|prefiero no hablar|"
    "preferisco non|prefiro não",
)
# Only in a sentence about somebody: "when I cook I use butter rather than oil".
COMPARED = _phrases("rather than|instead of|more than")
CHOOSING = _words("i we he she they i'd we'd")
# First words of a wish how things should be done.
WISHING = _words("please bitte")
ORDERS = _words(
    "send answer reply call write use give keep show tell address speak text format explain spell put avoid stop start "
    "make let",
)
US = _words("me us my our")
STANDING = _words(
    "always never only every from don't", "immer nie niemals nur", "toujours jamais", "siempre nunca", "sempre mai"
)
LASTING_WISHES = _phrases(
    "you always|from now on|in future|in the future|never call|never send|never use|never write|always use|always call|"
    "always send|always write|always answer|always reply|ab jetzt|in zukunft|à partir de maintenant|dorénavant|"
    "a partir de ahora|d'ora in poi|a partir de agora|с этого момента|van nu af aan",
)
# A sentence that ends so, without a verb of its own, is a choice: "Dark mode everywhere, always."
ENDINGS = ("always", "any time", "every time", "any day", "immer", "toujours", "siempre", "sempre")

# A time that only an event has.
MOMENTS = _words(
    "yesterday tonight tomorrow",
    "gestern vorgestern übermorgen",
    "hier avant-hier demain",
    "ayer anteayer anoche mañana",
    "ieri domani stamattina stasera stanotte l'altroieri",
    "ontem anteontem amanhã",
    "вчера позавчера завтра",
    "igår imorgon förrgår",
    "gisteren eergisteren",
    "wczoraj przedwczoraj jutro dün yarın أمس غدا",
)
MOMENT_PHRASES = _phrases(
    "last night|last week|last weekend|last month|last year|last spring|last summer|last autumn|last fall|last winter|"
    "next week|next weekend|next month|next year|next spring|next summer|next autumn|next winter|this morning|"
    "this afternoon|this evening|the other day|days ago|weeks ago|months ago|years ago|day ago|week ago|month ago|"
    "year ago|earlier today|moments ago|the day before|a while ago",
    "heute morgen|heute früh|letzte woche|letzten monat|letztes jahr|letzte nacht|nächste woche|nächsten monat|"
    "nächstes jahr|diesen sommer|neulich",
    "la semaine dernière|le mois dernier|l'année dernière|l'an dernier|la semaine prochaine|le mois prochain|ce matin|"
    "l'autre jour|l'année prochaine",
    "la semana pasada|el mes pasado|el año pasado|la próxima semana|la semana que viene|el mes que viene|esta mañana|"
    "el otro día|el próximo mes|el próximo año",
    "la settimana scorsa|il mese scorso|l'anno scorso|la settimana prossima|il mese prossimo|l'altro giorno|due "
    "giorni fa",
    "na semana passada|no mês passado|no ano passado|na próxima semana|na semana que vem|esta manhã|hoje de manhã",
    "на прошлой неделе|в прошлом месяце|в прошлом году|на следующей неделе|в следующем месяце|сегодня утром|на днях",
    "förra veckan|förra månaden|förra året|nästa vecka|i går|i morse|häromdagen",
    "vorige week|vorige maand|vorig jaar|afgelopen week|volgende week|volgende maand|vanochtend|vanmorgen",
    "w zeszłym tygodniu|w zeszłym roku|w przyszłym tygodniu|dziś rano|geçen hafta|geçen ay|gelecek hafta",
)
MOMENT_PARTS = (
    "昨天", "前天", "昨晚", "今早", "明天", "后天", "上周", "上個月", "上个月", "下周", "下个月", "去年", "昨日",
    "先週", "先月",
    "一昨日", "明日", "来週", "来月", "今朝", "어제", "그저께", "내일", "지난주", "다음 주", "지난달",
)  # fmt: skip
# A time that a state or a rule may have as well; these need a verb of an event.
WEEKDAYS = _words(
    "monday tuesday wednesday thursday friday saturday sunday weekend",
    "montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag wochenende",
    "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "lunes martes miércoles jueves viernes sábado domingo",
    "lunedì martedì mercoledì giovedì venerdì sabato domenica",
    "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira",
    "понедельник вторник среду четверг пятницу субботу воскресенье",
    "måndags tisdags onsdags torsdags fredags lördags söndags",
    "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    "poniedziałek wtorek środę czwartek piątek sobotę niedzielę",
)
# Beside a weekday they make it one day: "letzten Samstag", "lundi dernier".
NEIGHBOURING = _words(
    "last next coming",
    "letzten letzte letzter letztes nächsten nächste nächster nächstes kommenden vergangenen",
    "dernier dernière prochain prochaine",
    "pasado pasada próximo próxima",
    "scorso scorsa prossimo prossima",
    "passado passada",
    "прошлый прошлую прошлое следующий следующую",
    "förra nästa vorige afgelopen volgende zeszły zeszłą przyszły przyszłą",
)
# "le lundi" is every Monday.
EVERY_ARTICLES = _words("le les")
MONTHS = _words(
    "january february march april may june july august september october november december",
    "januar februar märz mai juni juli oktober dezember",
    "janvier février mars avril juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre",
    "janeiro fevereiro março maio junho julho setembro outubro novembro dezembro",
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
)
TODAYS = _words("today heute aujourd'hui hoy oggi hoje сегодня idag vandaag dziś bugün")
# "since 2016", "every Monday", "by the 15th": a state, a rule, a limit.
LASTING = _words(
    "since every each until by from between daily weekly monthly till before",
    "seit jeden jede jedes bis ab zwischen",
    "depuis chaque jusqu'à tous toutes avant",
    "desde cada hasta todos todas",
    "dal dalla ogni fino tutti",
    "с каждый каждую до по",
    "sedan varje till sinds elke tot od każdy do",
)
JUST = _words("just finally recently lately", "gerade endlich kürzlich", "enfin récemment", "finalmente por fin appena")
# A dated origin is a lasting property of a thing.
ORIGINS = _words(
    "born founded built established opened constructed invented", "geboren gegründet erbaut gebaut",
    "né née fondé fondée",
    "construit construite", "nacido fundada fundado construido", "nato nata fondata",
    "основан основана родился родилась",
)  # fmt: skip
EVENTS = _words(
    "went got saw met took made had bought came ran won lost found gave told said wrote read began flew drove broke "
    "fell "
    "rang rose left quit hit cut sold sent spent slept spoke stood swam taught thought threw woke wore paid put held "
    "heard "
    "kept knew built caught chose drank ate felt forgot grew hurt led let lent lay rode sang shot sank sat stole "
    "struck tore "
    "was were did became going flying coming moving having getting starting leaving driving meeting seeing visiting "
    "travelling returning taking will won't i'll we'll he'll she'll they'll",
    "war wurde wurden hatte ging kam fiel fand nahm gab traf sah bekam flog fuhr brach starb verlor gewann wird werden "
    "fahre fliege fährt fliegt kommt reise",
    "été eu fait mis pris vu part partons pars vais va allons",
    "fue fui fuimos fueron hizo hice tuvo tuve estuvo murió cayó voy vamos va vuelo",
    "stato stata fatto preso visto messo vado andiamo parto",
    "foi fui fomos foram fez fiz teve tive vou vamos viajo",
    "был была было были сдал будет будут еду едем лечу",
    "var blev gick kom fick tog såg föll ska åker reser",
    "was werd ging kwam kreeg nam zag viel ga gaan",
    "był była było były będzie jadę lecę",
)
# Last letters of verbs of an event; they count only beside a time.
EVENT_ENDINGS = (
    "ed", "ée", "ées", "és", "é", "ó", "aron", "ieron", "aram", "eram", "iram", "ou", "eu", "iu", "ato", "uto", "ito",
    "ata", "л", "ла", "ло", "ли", "лся", "лась", "лись", "ył", "ał", "ała", "iła", "ło",
)  # fmt: skip
# German participles.
PARTICIPLE = ("ge", ("t", "en"))
NO_EVENTS = _words("need used allowed supposed based called named speed bed red feed breed wed indeed seed shed exceed")

"""Tables of words by which statements of a memory are compared: what states, what changes, what ended, what denies.

Small tables for twelve languages. A word that is missing makes a judgement more careful, never bolder: an unknown verb
states nothing, so that nothing is replaced.
"""

from __future__ import annotations


def _words(*lists: str) -> frozenset[str]:
    return frozenset(word for words in lists for word in words.split())


# Verbs of a lasting state. One of them before the place where two statements part makes that place a value.
STATES = _words(
    "is are am i'm we're it's has have i've we've costs cost lasts takes take runs run starts start begins begin "
    "ends end opens open closes close works work lives live sleeps sleep pays pay weighs weigh measures earns earn "
    "charges uses use keeps keep leaves leave departs arrives expires boards meets meet rehearses sits stands "
    "hangs lies belongs reports stays remains requires require needs need limits supports contains holds hold "
    "counts consists must may can should fires listens wakes goes go gets get eats drives drive trains train rents "
    "studies study equals becomes stops serves covers allows renews refreshes retries polls",
    "ist sind bin war hat habe haben kostet kosten dauert läuft beginnt endet öffnet schließt arbeitet arbeite "
    "wohnt wohne liegt steht fasst springt fährt verdient zahlt gehört braucht trifft heißt heiße beträgt wiegt "
    "gilt bleibt schläft lebt lebe findet schlafe zahle geht gehe",
    "est sont suis ai ont coûte coûtent dure commence finit termine ouvre ferme travaille habite vit chauffe "
    "répète part arrive pèse mesure gagne reste s'appelle mange dort dors joue",
    "es son soy está están estoy tiene tengo tienen cuesta cuestan dura empieza termina abre cierra trabaja "
    "trabajo vive vivo sale llega pesa mide gana enciende ejecuta reúne celebra queda llama",
    "é são sou está estão tem tenho têm custa custam dura começa termina abre fecha trabalha trabalho mora moro "
    "vive vivo leva sai chega pesa mede ganha fica reúne",
    "è sono ha ho hanno costa costano dura comincia inizia finisce apre chiude lavora lavoro abita abito vive "
    "parte arriva pesa misura guadagna resta sforna riunisce",
    "стоит стоят длится начинается заканчивается открывается закрывается работает работаю живёт живу находится "
    "весит получает топят отвечает хранится хранятся составляет",
    "kostet är har kostar tar börjar slutar öppnar stänger arbetar bor ligger rymmer väger heter",
    "jest są mam ma kosztuje trwa zaczyna kończy otwiera zamyka pracuje pracuję mieszka mieszkam waży",
    "kost duurt begint eindigt opent sluit werkt werk woont woon heeft heb zijn ben weegt",
    "يكلف تكلف يبدأ تبدأ يعمل أعمل يسكن أسكن يقع هو هي يفتح يغلق",
    "是 在 为 為 由 叫 住 は",
)
# After these another place, person or name takes the former one's place; nobody is led by two, or lives at two places.
EXCLUSIVE = _words(
    "led owned administered managed run maintained headed chaired directed operated coached taught called named "
    "located stationed based held stored kept hosted parked hangs leaves departs lives live works work reports "
    "belongs stands",
    "geleitet verwaltet betreut heißt wohnt wohne arbeitet arbeite steht liegt dirigé s'appelle habite travaille "
    "vit dirigido dirigida llama vive trabaja mora trabalha abita lavora vive живёт живу работает работаю отвечает "
    "mieszka mieszkam pracuje bor arbetar heter woont werkt يسكن أسكن يعمل أعمل 由 叫 住",
)
# They only say that a value is the present one, and may be left out when two statements are laid side by side.
NOWS = _words(
    "now nowadays currently today jetzt nun inzwischen mittlerweile neuerdings maintenant désormais actuellement "
    "ahora ya actualmente agora já atualmente adesso ora ormai теперь сейчас уже teraz już obecnie nu numera artık "
    "şimdi الآن",
)
NOW_PARTS = ("现在", "已经", "目前", "今は", "現在")
SINCES = _words("since seit depuis desde с od sedan sinds")
# Whatever is called so has one value.
SINGLE = _words(
    "default main current favourite favorite preferred official password name status capital headquarters leader "
    "chief head captain manager chair chairman president director ceo boss owner mayor treasurer version language",
)
IS = _words("is are ist sind est sont es son está é são è sono är jest is 是 は am i'm bin suis soy sou")
# A number after them is a limit, not the number of a thing.
COMPARING = _words(
    "than least most to exceeding over under über unter als mindestens höchstens plus moins más menos più"
)
# To be somewhere, which "moved to" changes.
LOCATED = IS | _words(
    "lives live lies sits stands hangs stays resides wohnt wohne liegt steht hängt habite vit vive vivo mora moro "
    "abita abito живёт живу находится лежит стоит mieszka mieszkam bor ligger woont woon oturuyor 住 在"
)
DEFINITE = _words("the der die das dem den le la les l' el los las o os as il lo gli de het")
AUXILIARIES = _words(
    "was were had will wurde wurden wird war hatte fut était sera fue fueron será foi foram era stato stata è был "
    "была было были będzie został blev werd"
)
INDEFINITE = _words("a an ein eine einen un une una um uma ett een")
PLACES = _words(
    "in at on with under behind near by to from next beside bei beim unter hinter neben dans chez sous derrière au "
    "en bajo detrás junto no na em com sob nel nella da в на у за под w u i på hos bij 在",
)
PREPOSITIONS = PLACES | _words(
    "as for until after before of im am um bis mit als für von aus zu avec de du jusqu'à pour par con hasta desde "
    "por a até per fino com",
)
# What one may have, do or be several of: another one is one more, unless it is counted.
ADDITIVE = _words(
    "allergic afraid scared fond interested fluent responsible member part fan good bad available made known "
    "famous also too another additionally besides second used friend sister brother daughter son cousin cat dog "
    "colleague neighbour neighbor aunt uncle child pet hobby hobbies friends one",
    "auch zusätzlich noch allergisch aussi également allergique también alérgico alérgica também alérgico anche "
    "allergico тоже также też ook också 也 还 أيضا freund freundin bruder schwester tochter sohn ami amie frère sœur "
    "hermano hermana amigo amiga hijo hija irmão irmã amico amica fratello sorella брат сестра друг",
)
# Nothing of this happens twice: another value cannot be a change.
UNCHANGING = _words(
    "born founded built made manufactured constructed erected established launched invented discovered written "
    "painted composed dug named opened created birthplace birthday birthdate blood originally century originates "
    "dates stems died began published introduced installed married met won",
    "geboren gegründet gebaut erbaut errichtet erfunden gemalt gestorben jahrhundert entstand eröffnet",
    "né née fondé fondée construit construite créé créée siècle mort naquit inauguré inaugurée",
    "nació nacido nacida fundado fundada fundó construido construida construyó dejó siglo murió inaugurado "
    "inauguró nasceu nascido fundada construído construída aberta aberto século morreu inaugurado",
    "nato nata fondato fondata costruito costruita secolo morto inaugurato",
    "родился родилась основан основана основано построен построена построено умер веке век открыт",
    "urodził urodziła założony założona zbudowany zbudowana född grundades byggdes geboren gesticht gebouwd doğdu "
    "kuruldu وُلد ولد تأسس تأسست 建 创 生",
)
# Of these, the ones of which a second date is an error rather than a second time.
ORIGINS = UNCHANGING - _words(
    "opened painted created written published introduced composed discovered named installed married met won open "
    "открыт eröffnet inaugurado abierta 生 创"
)
# A change is spoken of.
CHANGES = _words(
    "now nowadays lately currently moved moves changed switched replaced renamed reassigned transferred swapped "
    "raised lowered increased reduced decreased rose risen fell fallen dropped climbed grown grew reached extended "
    "shortened postponed rescheduled delayed brought slipped upgraded downgraded updated doubled halved gone "
    "became become turned promoted instead handed converted migrated relocated shaved replaced installed retired "
    "swapped overtaken overtook bought sold traded learned learnt transposed banned stepped joined",
    "jetzt nun inzwischen mittlerweile neuerdings umgezogen gezogen gewechselt geändert ersetzt umbenannt erhöht "
    "gesenkt gestiegen gesunken verschoben verlegt verlängert verkürzt stattdessen geworden gewählt",
    "maintenant désormais passé passée déménagé changé remplacé renommé augmenté baissé repoussé repoussée reporté "
    "avancé prolongé devenu devenue actuellement",
    "ahora ya actualmente mudé mudó cambié cambió cambiado subió bajó aumentó aplazó pospuso adelantó pasó agora "
    "já atualmente mudei mudou mudado subiu baixou aumentou adiado adiada passou",
    "adesso ora ormai cambiato cambiata trasferito trasferita passato passata salito sceso aumentato rinviato "
    "spostato spostata diventato",
    "теперь сейчас уже переехал переехала изменился изменили сменил сменила вырос выросла перенесли повысили",
    "teraz już obecnie zmienił zmieniła przeniesiono przeprowadził wzrosła wzrosło nu numera flyttat flyttade "
    "ändrat bytt höjts nu verhuisd veranderd gewijzigd verhoogd artık şimdi taşındı taşındım değişti oldu الآن "
    "انتقل انتقلت تغير أصبح ارتفع",
)
CHANGE_PARTS = (
    "these days",
    "moving out",
    "moving to",
    "finally",
    "came down",
    "took over",
    "has taken",
    "学会",
    "修好",
    "恢复",
    "改",
    "涨",
    "搬",
    "换",
    "不再",
    "なりました",
    "変わ",
    "今は",
    "引き継",
    "引っ越",
    "やめ",
    "変更",
)
# Something is over, or done.
ENDINGS = _words(
    "left quit resigned retired stopped ended finished complete completed done sold cancelled canceled broke "
    "split divorced abandoned "
    "dropped settled cleared fixed repaired restored reopened released thawed cured recovered again renewed passed "
    "learned deleted removed discontinued",
    "aufgehört verlassen gekündigt verkauft beendet abgebrochen repariert zurück wieder gefunden arrêté quitté "
    "vendu terminé fini réparé dejé dejó terminado terminé vendí vendió cerró arreglaron reparado deixei deixou "
    "vendi consertaram terminei lasciato smesso venduto finito riparato tolto бросил бросила продал уволился "
    "закончил починили rzucił rzuciła sprzedał slutat sålt gestopt verkocht bıraktım bıraktı sattı ترك باع توقف",
)
ABSOLUTES = _words("never nie niemals jamais nunca jamás никогда nigdy aldrig nooit hiç asla")
ABSOLUTE_PARTS = (
    "从来没",
    "從來沒",
    "从未",
    "一度も",
    "ことがありません",
    "nobody was",
    "non sono mai",
    "non ho mai",
    "non è mai",
    "non ha mai",
    "non abbiamo mai",
)
# A state that is to pass.
PENDING = _words(
    "being broken closed under suspended waiting pending frozen expected planned blocked stuck out down late "
    "missing skipped stolen unpaid open processed progress maintenance customs renovation repair cracked sick ill "
    "away empty free vacant draft review kaputt defekt gesperrt geschlossen krank gestohlen cassé fermé malade "
    "roto rota estropeada cerrado enfermo avariada quebrado fechado rotto rotta chiuso сломан сломана закрыт болен "
    "zepsuty trasig kapot bozuk 坏",
)
# It happened before anything that is said now, so it cannot be what has changed.
LONG_AGO = _words(
    "ago childhood teenager youth schooldays grandmother born originally ursprünglich kindheit achtzigern "
    "neunzigern enfance niño niña infancia infância ragazzo ragazza bambino детстве",
)
LONG_AGO_PARTS = (
    "as a child", "as a kid", "as a boy", "as a girl", "as a teen", "as a student", "when i was", "back in",
    "years old",
    "at school", "in my first", "in the first", "the same", "als kind", "als junge", "als mädchen",
    "in den achtziger",
    "in den neunziger", "grandi", "quand j'étais", "étant enfant", "cuando era", "de niño", "de niña", "em criança",
    "quando era", "quando ero", "da ragazz", "da bambin", "в детстве", "в юности", "w dzieciństwie", "som barn",
    "als kind", "小时候", "上学时", "学生のとき", "子供の頃", "子どものころ", "çocukken", "في طفولتي",
)  # fmt: skip
PLANS = _words(
    "would i'd we'd wish wishes hope hopes want wants might plan plans planning dream dreams thinking considering "
    "möchte würde will hoffe voudrais aimerais souhaite veux quisiera quiero gostaria quero vorrei voglio хочу "
    "chciałbym chciałabym vill wil 想 たい istiyorum أريد",
)
SPEAKERS = _words(
    "i i'm i've i'll i'd me my mine myself we we're we've we'll we'd us our ours",
    "ich mich mir mein meine meinen meinem meiner meins wir uns unser unsere unseren",
    "je j j'ai m moi mon ma mes nous notre nos",
    "yo me mi mis nosotros nuestro nuestra soy estoy tengo vivo quiero eu meu minha meus minhas nós nosso nossa sou",
    "io mio mia miei mie noi nostro nostra sono ho mi",
    "я меня мне мной мой моя моё мою мои мы нас нам наш наша",
    "ja mnie mój moja moje jag mig min mitt mina vi vår ik mij mijn wij ons ben benim bana أنا",
)
# Of these, the ones that are no names in another language.
FIRST_PERSON = SPEAKERS - _words("ben benim bana mina vi min eu ja mi ma m me us on sol moje")
POSSESSIVES = _words(
    "my our mein meine unser unsere mon ma mes notre nos mi mis nuestro nuestra meu minha nosso nossa mio mia nostro "
    "nostra мой моя моё наш наша mój moja min mitt mina vår mijn onze"
)
SPEAKER_PARTS = ("我", "私", "僕", "俺")
# Pairs of opposite states. Each word is one side of a line, and excludes the words of the other side.
_OPPOSITES = (
    "open opened reopened : closed shut", "allowed permitted : forbidden banned prohibited",
    "enabled on : disabled off",
    "available : unavailable", "free vacant empty : taken occupied full", "required mandatory compulsory : optional",
    "public : private", "working works repaired fixed : broken", "single : married engaged divorced",
    "employed : unemployed", "offen geöffnet : geschlossen gesperrt", "erlaubt : verboten",
    "frei leer : besetzt voll belegt",
    "ouvert ouverte : fermé fermée", "abierto abierta : cerrado cerrada", "aberto aberta : fechado fechada",
    "aperto aperta : chiuso chiusa", "открыт открыта : закрыт закрыта", "online : offline", "active : inactive",
    "automatic : manual", "manually : automatically", "paid : unpaid", "pending : approved rejected", "true : false",
    "monthly : yearly quarterly weekly daily", "weekly : daily monthly",
    "more : less fewer", "up : down",
)  # fmt: skip


def _pairs(lines: tuple[str, ...]) -> frozenset[frozenset[str]]:
    return frozenset(
        frozenset((one, other))
        for line in lines
        for one in line.split(" : ")[0].split()
        for other in line.split(" : ")[1].split()
    )


OPPOSITES = _pairs(_OPPOSITES)
# When something is so, in words that no table of values holds.
DAY_WORDS = _words(
    "day night morning mornings noon afternoon evening evenings weekdays weekend weekends winter spring summer autumn "
    "monday tuesday wednesday thursday friday saturday sunday",
    "tag nacht morgen mittag abend winter frühling sommer herbst montags dienstags mittwochs donnerstags freitags "
    "samstags sonntags jour nuit matin soir été hiver printemps automne lundi mardi mercredi jeudi vendredi samedi "
    "dimanche día noche mañana tarde verano invierno otoño primavera lunes martes miércoles jueves viernes sábado "
    "domingo dia noite manhã verão inverno outono segunda terça quarta quinta sexta domingo giorno notte mattina sera "
    "estate inverno autunno lunedì martedì mercoledì giovedì venerdì sabato domenica",
    "понедельник вторник среду четверг пятницу субботу воскресенье утром днём вечером ночью летом зимой",
    "poniedziałek wtorek środę czwartek piątek sobotę niedzielę måndag tisdag onsdag torsdag fredag lördag söndag "
    "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag pazartesi salı çarşamba perşembe cuma cumartesi pazar "
    "早 晚 夜 朝 昼 春 夏 秋 冬",
)
# "Yesterday" tells of an occasion.
OCCASIONS = _words(
    "yesterday today tonight tomorrow ago recently gestern heute aujourd'hui demain ayer hoy "
    "ontem hoje amanhã ieri oggi domani вчера сегодня завтра wczoraj dziś igår idag gisteren vandaag 昨 今",
)
# They carry no content of their own. Words of the tables above are content unless they are also here.
FUNCTION_WORDS = SPEAKERS | _words(
    "a an the this that these those it its it's there there's here he she they them his her their you your yours "
    "he's she's they're is are am was were be been being has have had having do does did doing done get gets got "
    "getting of in on at to for from by with as into about and or but so if than then very really quite just all "
    "every each any some only also still yet already please okay ok well one must may can could should would will "
    "shall has to need needs too much more most who which what when where whose because up out off over s t m re "
    "ve ll d it'd own lot leider ziemlich",
    "der die das den dem des ein eine einen einem einer eines und oder aber ist sind war wird werden wurde hat "
    "haben habe bin zu in im an am auf mit von vom bei für nach aus um als es er sie man sich den kann muss darf "
    "uhr dass wenn",
    "le la les l un une des du de d et ou mais est sont a ai ont à au aux en dans par pour sur avec il elle on ce "
    "se s qu que qui faut c'est",
    "el la los las un una unos unas y o pero es son está están ha he han a al del de en por para con se lo que su "
    "sus o os as um uma e mas é são tem ao à do da dos das no na nos nas por pelo pela se que me te il lo gli i un "
    "uno una e o ma è sono ha ho a al alla di del della dei in nel nella per con si che da dal dalla si",
    "в во на с со и или но по за к у о от до из для это он она они что быть был была было нужно надо",
    "w we na z ze i lub ale po za do o od dla to on ona jest są się jej ett en den det och eller men är var har i "
    "på av med för till som att het de een en of maar is zijn op met voor te ve bir bu da في من على إلى و",
    "的 了 是 在 我 は が を に で と の も へ 。 要 这 那 个 坛 把 也 です ます ん て し い こ た だ さ れ ま す",
)

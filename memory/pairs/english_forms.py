"""Forms of English words: the base of an inflected or derived one, and what it says of the time."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

# Base, past, participle; one word for both when they are the same.
_IRREGULAR = """
be was/were been
become became become
begin began begun
break broke broken
bring brought
build built
buy bought
catch caught
choose chose chosen
come came come
cut cut
dig dug
do did done
draw drew drawn
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
fly flew flown
forget forgot forgotten
forbid forbade forbidden
freeze froze frozen
get got gotten
give gave given
go went gone
grow grew grown
hang hung
have had
hear heard
hide hid hidden
hit hit
hold held
hurt hurt
keep kept
know knew known
lay laid
lead led
leave left
lend lent
let let
lie lay lain
lose lost
make made
mean meant
meet met
mow mowed mown
pay paid
put put
quit quit
read read
ride rode ridden
ring rang rung
rise rose risen
run ran run
say said
see saw seen
sell sold
send sent
set set
sew sewed sewn
shake shook shaken
shoot shot
shut shut
sing sang sung
sit sat
sleep slept
speak spoke spoken
spend spent
split split
spread spread
stand stood
steal stole stolen
sting stung
sweep swept
swim swam swum
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
understand understood
wake woke woken
wear wore worn
win won
write wrote written
"""
_LINES = [line.split() for line in _IRREGULAR.strip().splitlines()]
_PAST_OF = {past: line[0] for line in _LINES for past in line[1].split("/")}
_DONE_OF = {line[-1]: line[0] for line in _LINES if "/" not in line[-1]}
_PLURALS = {
    "children": "child", "men": "man", "women": "woman", "feet": "foot", "teeth": "tooth", "mice": "mouse",
    "loaves": "loaf", "leaves": "leaf", "shelves": "shelf", "knives": "knife", "lives": "life", "wives": "wife",
    "halves": "half", "geese": "goose",
}  # fmt: skip
# Verbs in the present that the same letters make a noun's plural: as verbs they are used more often.
_VERBS_IN_S = {"lives": "live", "leaves": "leave", "does": "do", "has": "have", "goes": "go", "is": "be"}
IRREGULAR: Mapping[str, str] = _PLURALS | _DONE_OF | _PAST_OF | _VERBS_IN_S | {"are": "be", "am": "be", "lying": "lie"}
# Forms that are of the past alone; "put" and "run" may be of the present.
PASTS = frozenset(past for past in _PAST_OF if past not in {line[0] for line in _LINES})
DONE = frozenset(_DONE_OF)
_VOWELS = frozenset("aeiouy")
# What they end is another thing than the verb: "organiser", "employee" and "organ", "employ".
_NOUNS_OF_VERBS = ("ications", "ication", "ations", "ation", "tions", "tion", "sions", "sion", "ments", "ment", "als",
                   "al", "ances", "ance", "ures", "ure", "ery", "eries")  # fmt: skip
_KEPT = frozenset(
    "always this his its us bus gas plus yes news glass class boss less series business address access process "
    "across lens chess canvas atlas virus status campus tennis mathematics maths physics species red bed shed need "
    "speed weed seed feed bleed embed indeed hundred sacred wing king ring thing string spring morning evening "
    "ceiling during nothing something anything building wedding being bring sing sting swing duckling "
    "pudding herring earring species gym mess press dress grass brass pass boss cross loss moss toss kiss miss "
    "hardly nearly lately mostly barely scarcely rarely shortly highly partly only early daily weekly monthly "
    "yearly family "
    "reply supply apply rely ally italy july shortly presently bodily fly jelly closely largely fairly badly really "
    "guess wireless unless express success princess mattress".split()
)


@lru_cache(maxsize=16_384)
def base(word: str) -> str:
    """Return the base of an English word: without its inflection and "-ly"; as it is when none is known.

    Two words that have one base are forms of one word: the endings that make another thing of it, as in "trainer" and
    "trainee", stay.
    """
    if word in IRREGULAR:
        return _bare(IRREGULAR[word])
    if len(word) < 4 or word in _KEPT or not word.isalpha():
        return word
    return _of_verb(word) or _of_adverb(word) or _bare(word)


def _of_verb(word: str) -> str:
    """Return the base of a plural or of a form of a verb; empty when it is none."""
    if word.endswith(("ies", "ied")):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith(("ches", "shes", "sses", "xes", "zes", "oes")):
        return _bare(word[:-2])
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return _bare(word[:-1])
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 2 and not _VOWELS.isdisjoint(stem):
            return _bare(_single(stem))
    return ""


def _of_adverb(word: str) -> str:
    """Return the base of an adverb; empty when it is none."""
    if word.endswith("ally") and len(word) > 8:
        return word[:-4]
    if word.endswith("ily") and len(word) > 5:
        return word[:-3] + "y"
    if word.endswith("ly") and len(word) > 5:
        return _bare(word[:-2])
    return ""


def _bare(stem: str) -> str:
    """Leave out a silent "e", so that "store", "stores" and "storing" meet."""
    return stem[:-1] if len(stem) > 3 and stem.endswith("e") and not stem.endswith("ee") else stem


def _single(stem: str) -> str:
    """Write a doubled last consonant once: "stopp" is of "stop"; "fill" and "pass" stay."""
    doubled = len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "lsz"
    return stem[:-1] if doubled else stem


def nominalised(noun: str, verb: str) -> bool:
    """Tell whether the base of a noun is that of a verb with an ending that names what is done: "rotation", "rotat"."""
    for ending in _NOUNS_OF_VERBS:
        stem = noun.removesuffix(ending)
        if stem != noun and len(stem) > 2:
            makes = {stem, stem + "t", stem + "at", stem + "y", stem + "d", stem + "ify"}
            if verb in makes or (ending in ("ment", "al", "ance", "ure") and verb.removesuffix("e") == stem):
                return True
    return False


def is_participle(word: str) -> bool:
    """Tell whether a word can be a participle of the past: "stored", "written"."""
    return word in DONE or (word.endswith("ed") and len(word) > 4 and word not in _KEPT)

"""English words that can stand for each other in one and the same form; each is read as the first of its line.

For telling repetitions only. Words of one line are of one tense and one number, and none of them is also a name.
"""

from __future__ import annotations

from collections.abc import Mapping

# Their plurals, formed with "s", are synonyms too.
_NOUNS = """
bike bicycle
car automobile
plane aeroplane airplane
motorbike motorcycle
phone telephone
photo photograph
flat apartment
film movie
shop store
job occupation
doctor physician
professor prof
sofa couch
elevator lift
lawyer solicitor
coworker colleague
grandma grandmother
grandpa grandfather
fridge refrigerator
database db
repo repository
config configuration
lab laboratory
gym gymnasium
ad advert advertisement
centre center
theatre theater
colour color
tyre tire
licence license
programme program
favourite favorite
neighbour neighbor
error bug
kid child
supper dinner
email e-mail
rabbit bunny
"""
_FORMS = """
children kids
begin start
begins starts
began started
begun started
end finish
ends finishes
close shut
closes shuts
closed shut
forbidden prohibited banned
allowed permitted
needed required necessary
mandatory compulsory obligatory
afraid scared frightened
big large
quick fast rapid
purchase buy
purchases buys
purchased bought
lasts takes
delete remove
deletes removes
deleted removed
repair fix
repairs fixes
repaired fixed
encrypt encipher
lives resides
live reside
ill sick
grey gray
glad happy
entire whole
costly expensive
inexpensive cheap
often frequently
instantly immediately
annually yearly
maximum max
minimum min
information info
documentation docs
temperature temp
university uni
mathematics maths math
television tv
mom mum mother
dad father
trousers pants
petrol gasoline
luggage baggage
rubbish trash garbage
autumn fall
influenza flu
wrong incorrect
located situated
"""
_LINES = [line.split() for line in _FORMS.strip().splitlines()]
_LINES += [[word + end for word in line.split()] for line in _NOUNS.strip().splitlines() for end in ("", "s")]
CANONICAL: Mapping[str, str] = {word: line[0] for line in reversed(_LINES) for word in line}


def canonical(word: str) -> str:
    """Return the word that stands for a word and its synonyms."""
    return CANONICAL.get(word, word)

"""Words that can stand for each other when two statements are compared; each is read as the first of its line.

For telling repetitions only. Words of one line may differ in shade, never in what they name.
"""

from __future__ import annotations

from collections.abc import Mapping

_LINES = """
allowed permitted allow permit welcome
forbidden banned ban prohibited
needed necessary need needs require requires required compulsory mandatory obligatory necessary
closed shut shuts closes close closing
begin begins start starts starting beginning begun
end ends finish finishes ending
child children kid kids
pupil pupils student students
bike bikes bicycle bicycles
car cars automobile
plane planes aircraft airplane
motorbike motorbikes motorcycle motorcycles
tv television
phone telephone phones telephones mobile
photo photos photography photograph photographs picture pictures
flat apartment
holiday holidays vacation vacations
film films movie movies
shop shops store stores
job jobs occupation profession
boss supervisor
doctor physician
mum mom mother
dad father
wife spouse husband
big large
small little
quick fast rapid quickly
buy bought purchased purchase purchases
hurt hurts
afraid scared frightened scares fear fears terrified
like likes enjoy enjoys fond
love loves adore adores
hate hates detest detests dislike dislikes
email e-mail mails
daily everyday
error errors bug bugs
delete deletes deleted remove removes removed erased
send sends sent sending
eat eats ate eaten eating
drive drives drove driven driving
write writes wrote written writing
build builds built building
run runs ran running
keep keeps kept keeping
pay pays paid payment payments
teach teaches taught teaching
sing sings sang singing
speak speaks spoke spoken
take takes took taken
wear wears wore worn
leave leaves left leaving
hold holds held holding
grow grows grew grown
refuse refused refuses declined rejected
company firm business
employee employees staff worker workers
person people persons
street road
sofa couch
rubbish trash garbage waste
autumn fall
lift elevator
ill sick
customer customers client clients
price prices cost costs costing
repair repaired fix fixed
bag bags
nap naps
log logs
bici bicicleta
moto motocicleta
coche auto
voiture auto
aliment nourriture
"""
CANONICAL: Mapping[str, str] = {word: line.split()[0] for line in _LINES.strip().splitlines() for word in line.split()}

# They hold a paraphrase together and name nothing themselves.
LIGHT = frozenset(
    "use uses used using let lets give gives given go goes going take takes taken come comes happen happens stay stays "
    "put puts make makes made provide provides provided available within around thing something anything kind time place "
    "able possible please case hold held comprises consists contains like located situated lies stands sits during "
    "durante while until about really simply actually usually braucht été stata stato fue foi foram wird wurde pasa fête "
    "fais faut jest".split()
)


def canonical(word: str) -> str:
    """Return the word that stands for a word and its synonyms."""
    return CANONICAL.get(word, word)

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
shop shops
job jobs occupation profession
boss supervisor
doctor physician dr
professor prof
mum mom mother
dad father
wife spouse husband
big large
small little
quick fast rapid quickly
buy bought purchased purchase purchases
hurt hurts
afraid scared scare frightened frighten frightens scares fear fears terrified
like likes enjoy enjoys fond
love loves adore adores
hate hates detest detests dislike dislikes
email e-mail mails
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
house home houses homes
meeting meetings appointment
city town
teacher teachers instructor
manager head leader chief
director ceo
president chairman chairwoman chairperson chair
lawyer attorney solicitor
colleague colleagues coworker coworkers
friend friends buddy pal mate
grandma grandmother granny
grandpa grandfather granddad
brother bro
baby infant
guest guests visitor visitors
member members
room rooms
garden yard
food meal meals
breakfast brekkie
dinner supper
fridge refrigerator
laptop notebook
computer computers pc
password passcode
website site webpage
app application applications
server servers host
database db
repository repo
configuration config
documentation docs
production prod
development dev
maximum max
minimum min
number numbers nr
address addresses
temperature temp
information info
laboratory lab
gymnasium gym
university uni
mathematics maths math
advertisement ad advert
influenza flu
centre center
theatre theater
colour color
tyre tyres tire tires
licence license
programme program
grey gray
favourite favorite
metre meter metres meters
neighbour neighbor
answer answers reply replies respond responds response
ask asks request requests
help helps assist assists support supports
talk talks
look looks
watch watches
live lives reside resides residing
work works working employed
own owns owned possess possesses
play plays playing
swim swims swam swimming
read reads reading
cook cooks cooking
travel travels travelling traveling
walk walks walked walking
cycle cycles cycling
sleep sleeps slept sleeping
wake wakes woke
drink drinks drank drinking
smoke smokes smoking
learn learns learning study studies studying
meet meets met
choose chooses chose chosen
sell sells sold selling
spend spends spent
deliver delivers delivered delivery deliveries ship ships shipped
arrive arrives arrived
depart departs departed departure
expire expires expired expiry
stored store stores saved save saves storing
encrypt encrypts encrypted encryption
manage manages managed managing administer administers administered
lead leads led
check checks checked inspect inspects inspected inspection
clean cleans cleaned cleaning
empty empties emptied
change changes changed changing
install installs installed
update updates updated
contain contains include includes
serve serves served
measure measures measured
weigh weighs weight
long length
wide width
high height tall
deep depth
old age aged
expensive costly pricey
cheap inexpensive
happy glad
difficult hard tough
easy simple
important crucial
whole entire
wrong incorrect
correct right
quiet silent silence
glasses spectacles
trousers pants
sneakers trainers
petrol gasoline
motor engine
luggage baggage
salary wage wages
invoice bill bills invoices
deadline due
contract agreement
rule rules regulation
mistake mistakes
danger dangerous risk
fire blaze
forest wood woods
rabbit bunny
stomach belly
money cash
midday noon
weekend weekends
annually yearly
immediately instantly
automatically automatic
frequently often
fahrrad rad
arzt ärztin
wagen pkw
vélo bicyclette
ordinateur ordi
télé télévision
móvil celular
ordenador computadora
piso apartamento
"""
CANONICAL: Mapping[str, str] = {word: line.split()[0] for line in _LINES.strip().splitlines() for word in line.split()}

# They hold a paraphrase together and name nothing themselves.
LIGHT = frozenset(
    "use uses used using let lets give gives given go goes going take takes taken come comes happen happens stay "
    "stays put puts make makes made provide provides provided available within around thing something anything "
    "kind time place able possible please case hold held comprises consists contains like located situated lies "
    "stands sits during durante while until about really simply actually usually way note btw fyi know said says told "
    "mentioned honestly basically braucht été stata stato fue foi "
    "foram wird wurde pasa fête fais faut jest".split()
)


def canonical(word: str) -> str:
    """Return the word that stands for a word and its synonyms."""
    return CANONICAL.get(word, word)

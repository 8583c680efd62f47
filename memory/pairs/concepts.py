"""English words of one meaning: those between two semicolons stand for each other, whatever the rest of a text is.

No group holds two of a kind (cat, dog), opposites (teach, learn), or a word that is a name too.
"""

from __future__ import annotations

from collections.abc import Mapping

from memory.pairs.english_forms import base, nominalised
from memory.pairs.synonyms import canonical

_VERBS = """
create generate produce; make build manufacture; remove delete erase purge; discard drop; purchase buy; sell;
get receive obtain; provide supply; offer; need require necessary; use utilise utilize; employ; begin start commence;
end finish conclude; terminate end; close shut; reopen; repair fix mend; replace swap; keep retain; store save;
permit allow; accept take; refuse reject decline deny; prohibit forbid ban; inspect check examine; review;
collect gather; clean; wash; assist help; show display; live reside dwell; own possess have; like;
dislike hate detest loathe; talk speak; cost; weigh; measure; last take; contain include hold; comprise consist;
fit hold accommodate; stand; sit; lie; hang; enter; exit leave; phone ring; inform notify; alert page; require;
reserve book; cancel; postpone delay; approve; sign; submit; hand; send; transmit; forward; return; update;
encrypt encipher; compress; log record; write; calm soothe; manage administer; maintain; lead head; run operate;
host present; teach; train; work; study; play; sing; raise; rear breed; grow cultivate; plant; harvest; prune trim;
mow; water; wait; rest; dry; heat; cool; freeze; melt; boil; bake; cook; prepare; serve; feed; drink; smoke; admit;
expect; believe; hope; prefer; favour favor; wear; carry transport; lock; unlock; expire; renew extend; drive;
travel; visit; attend; join; belong; donate; fund finance; pay; refund reimburse; insure cover; report; concern;
address; cause; trigger; prevent; block obstruct; protect; retry; restart reboot; rotate; expose; publish; release;
deploy; install; migrate port; support; rehearse; arrive; depart; ship; register; subscribe; vote; elect; appoint;
assign; adjust; validate; verify; confirm; apply; promote; transfer; export; import; vaccinate; treat; examine;
compare; deliver; launch; schedule; execute; authenticate; authorise authorize; allocate; notify; divide; combine;
mix; stir; lubricate; attach; detach; block; discuss; depend; mandatory compulsory obligatory; occur happen;
found establish; bury inter; translate; announce; demolish; fell; divorce; marry wed; die decease; photograph;
recycle; award; consume; monitor; surround; illuminate; participate; organise organize; recognise recognize;
specialise specialize; apologise apologize; label; paint
"""
_WORDS = """
afraid scared frightened terrified; terrible awful; sick ill; quick fast rapid; big large; small little;
entire whole; angry; near close; expensive costly pricey; cheap inexpensive; broken defective faulty;
pregnant expecting; tired exhausted; rich wealthy; sad unhappy; happy glad; famous renowned; strange odd;
quiet silent; important; difficult hard; easy simple; correct right; wrong incorrect; sufficient enough; empty;
annual yearly; automatic; manual; permanent; temporary; free; maximum max; minimum min; approximate approx;
rubbish trash garbage; basement cellar; pupil student; child kid; teacher; doctor physician dr; professor prof;
dentist; nurse; lawyer attorney solicitor; employee; boss; colleague coworker; guest visitor; client;
mum mom mother mama; dad father papa; grandma grandmother granny; grandpa grandfather granddad; son; sibling;
bike bicycle cycle; motorbike motorcycle; car automobile; plane aeroplane airplane aircraft; lorry truck; ferry;
underground subway metro; tram streetcar; phone telephone; mobile cellphone; television tv telly;
fridge refrigerator; sofa couch settee; wardrobe closet; flat apartment; elevator lift; shop store; supermarket;
movie film; cinema; picture photo photograph; holiday vacation; job occupation profession; salary wage; firm company;
meeting; exam examination test; homework; university uni; laboratory lab; maths math mathematics; holidays;
trousers pants; jumper sweater; sneakers trainers; glasses spectacles; jewellery jewelry; soccer football;
gym gymnasium; supper dinner; biscuit cookie; sweets candy; crisps; aubergine eggplant; courgette zucchini;
coriander cilantro; rabbit bunny; garden; pavement sidewalk; petrol gasoline; tyre tire; spanner wrench;
torch flashlight; town city; village; road street; entrance; exit; corridor hallway; autumn; dusk nightfall;
dawn daybreak; midday noon; wedding; funeral burial; birthday; illness disease; flu influenza; medicine medication;
clinic; surgery operation; price cost fee charge fare; rent; bill; invoice; deposit; discount; capacity room;
length long; width wide; height high tall; depth deep; weight weigh; duration last take; speed; distance;
temperature; database db; repository repo; configuration config; documentation doc; directory folder;
application app; programme program; parameter; password; username; login; administrator admin; error bug;
environment env; production prod; development dev; specification spec; information info; advertisement ad advert;
internet web net; website site; mail post; parcel package; licence license; certificate cert;
organisation organization; colour color; centre center; theatre theater; neighbour neighbor; metre meter; grey gray;
mould mold; favourite favorite; member membership; rule; beverage; meal; people person; human; luggage baggage; seat;
penicillin
"""
# Dimensions: they may be a verb, an adjective or a noun, and stand anywhere beside their value.
_DIMENSIONS = {
    "capacity": "capacity hold fit sleep accommodate contain room carry",
    "weight": "weight weigh heavy",
    "price": "price cost fee charge fare pay",
    "length": "length long",
    "width": "width wide",
    "height": "height high tall",
    "depth": "depth deep",
    "duration": "duration last take long",
}
_LINES = [line.split() for words in (_VERBS, _WORDS) for line in words.split(";")]
CONCEPTS: Mapping[str, frozenset[int]] = {
    word: frozenset(number for number, line in enumerate(_LINES) if word in map(base, line))
    for word in {base(word) for line in _LINES for word in line}
}
DIMENSIONS: Mapping[str, frozenset[str]] = {
    word: frozenset(name for name, words in _DIMENSIONS.items() if word in map(base, words.split()))
    for word in {base(word) for words in _DIMENSIONS.values() for word in words.split()}
}
VERBS = frozenset(base(word) for word in _VERBS.replace(";", " ").split())
_NONE: frozenset[int] = frozenset()


def one_meaning(one: str, other: str) -> bool:
    """Tell whether two words, as written in small letters, are forms of one word or stand for each other."""
    first, second = base(canonical(one)), base(canonical(other))
    if first == second or base(one) == base(other):
        return True
    if CONCEPTS.get(base(one), _NONE) & CONCEPTS.get(base(other), _NONE):
        return True
    return (second in VERBS and nominalised(first, second)) or (first in VERBS and nominalised(second, first))


def dimensions(word: str) -> frozenset[str]:
    """Return the dimensions that a word can name: "length" for "long"."""
    return frozenset() if word.endswith("ing") else DIMENSIONS.get(base(word), frozenset())

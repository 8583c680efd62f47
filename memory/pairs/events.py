"""Whether a statement tells of something that happened, or of how things are.

"I have a beard" and "I shaved off my beard" share their words and are not one fact.
"""

from __future__ import annotations

import regex

from memory.pairs.change_words import IS
from memory.pairs.texts import Side, missing

_PAST = frozenset(
    "ate became began bit blew bought broke brought built burned came caught chose cut did drank drove fell felt "
    "flew forgot fought found gave grew heard hid kept knew laid learnt lent lit lost made meant met quit ran rode "
    "rose sang sank sat saw sent shot slept sold spent spoke stood stole stuck swam taught thought threw took tore "
    "went woke won wore wrote".split()
)
_WAS = frozenset(
    "was were had wurde wurden war waren fut fue fueron foi foram stata stato stati été był była было была были "
    "blev werd".split()
)
# "Is", "get" and the like before a participle speak of a state: "is closed", "gets emptied".
_STATES_OF = IS | frozenset("be being get gets getting i'm you're we're they're he's she's it's must may can".split())
_HAVE = frozenset(
    "habe hat haben habt j'ai ai a as ont avons avez ho ha hai abbiamo hanno he has hemos han tenho har heb "
    "heeft".split()
)
_PARTICIPLE = regex.compile(
    r"(?:ab|an|auf|aus|ein|um|vor|zu|weg)?ge\p{L}{3,}(?:t|en)|\p{L}{2,}iert|ver\p{L}{3,}t"
    r"|\p{L}{3,}(?:é|ée|és|ées|ato|ata|uto|uta|ito|ita|ado|ada|ido|ida)"
)
_FRENCH = frozenset(
    "construit détruit conduit produit dipinto scritto fatto detto aperto chiuso rotto preso messo visto escrito feito "
    "aberto pintado hecho escrito abierto roto puesto fait "
    "refait pris mis vu eu dit vendu perdu rendu reçu ouvert offert fini choisi appris compris écrit peint".split()
)
_SLAVIC = regex.compile(r"\p{Cyrillic}{2,}(?:л|ла|ли|лся|лась|лись)|[\p{Latin}]{2,}(?:ł|ła|łam|łem|li|ły|łeś|łaś)")
_ROMANCE = regex.compile(r"\p{L}{2,}(?:ó|ió|aron|ieron|ei|ou|aram|eram|iram)")
_HAN = regex.compile(r"了(?:$|[，。、])|ました|った$|了.*了")


def only_one_tells_event(old: Side, new: Side) -> bool:
    """Tell whether one statement has a verb of the past that the other lacks, while the other tells of no event."""
    before, after = _events(old), _events(new)
    if bool(before) == bool(after):
        return False
    return bool(missing(before or after, new.tokens if before else old.tokens))


def _events(one: Side) -> list[str]:
    """Return what speaks of the past in a way that is not a state, as far as forms tell."""
    words = [token for at, token in enumerate(one.tokens) if token in _WAS or _is_past(one.tokens, at)]
    return words + _HAN.findall(one.text)


def _is_past(tokens: tuple[str, ...], at: int) -> bool:
    token = tokens[at]
    if not token.isascii() and (_SLAVIC.fullmatch(token) or _ROMANCE.fullmatch(token)):
        return True
    if token in _PAST or (token.isascii() and len(token) > 4 and token.endswith("ed")):
        return _STATES_OF.isdisjoint(tokens[max(0, at - 3) : at])
    return (token in _FRENCH or bool(_PARTICIPLE.fullmatch(token))) and not _HAVE.isdisjoint(tokens)

"""Whether a statement denies something: outright, or with a word that denies in itself ("forbidden", "vegan")."""

from __future__ import annotations

from collections.abc import Iterable

import regex

DENIALS = frozenset(
    "not no never none nobody nothing neither nor cannot without n't unable nicht kein keine keinen keinem keiner "
    "nie niemals nichts niemand ohne pas jamais aucun aucune rien sans nunca jamás nadie ningún ninguna sin não "
    "nem ninguém sem non nessuno niente nulla senza не нет никогда ничего никто без nigdy nic bez inte aldrig "
    "ingen utan niet geen nooit zonder değil yok hiç asla لا ليس لم لن بدون".split()
)
# Chinese, Japanese and Korean deny with parts of words, Turkish with endings.
_PARTS = regex.compile(r"[不没沒无無]|未曾|ません|ない|なく|않|없|못|지 마|m[ıiuü]yor|\p{L}{2}m[ae]d[ıi][mkn]?\b")
# They hold the letters of a denial and deny nothing: "at the latest", "must", "almost".
_NO_DENIALS = regex.compile(
    # Two denials are none, and "not until nine" is "from nine".
    r"\b(?:no|not|nobody|never|cannot|\p{L}+n't)\b(?=.{1,40}\b(?:without|unless|until|before)\b)"
    r"|(?<=\b(?:no|not|nobody|never|cannot|\p{L}+n't)\b.{1,40})\bwithout\b"
    r"|\b(?:nicht|kein\p{L}*)\b(?=.{1,40}\b(?:ohne|vor)\b)|(?<=\b(?:nicht|kein\p{L}*)\b.{1,40})\bohne\b"
    r"|\b(?:don't|do not|never) (?:forget|hesitate)\b|\bnothing but\b|\bnone other than\b|\bno\. ?(?=\p{Nd})"
    r"|\b(?:no|not) (?:later|more|less|fewer|earlier|longer) than\b|\bnot only\b|\bno problem\b|\bno doubt\b"
    r"|\bnicht (?:mehr|weniger|später) als\b|\bnicht nur\b|\bpas (?:plus|moins) de\b|\bno más de\b|\bnão mais de\b"
    r"|\bnon più di\b|не более|не менее|не позднее|不锈钢|不错|不同|不少|不过|差不多|没问题"
    r"|な(?:ければ|いと)(?:なり|いけ)\w*|なくては\w*|しかない|少ない|危ない"
)
# In Portuguese "no" is "in the".
_PORTUGUESE = frozenset("é da dos das ao à às um uma os não".split())
_SOFT = frozenset(
    "forbidden prohibited banned ban disabled refused refuse refuses declined declines closed shut lacks lack "
    "lacking fails fail failed impossible free only until except exempt excluded excludes exclude against avoid "
    "avoids avoiding hate hates hated dislike dislikes detest detests loathe stop stops missing absent empty "
    "broken off out illegal optional unnecessary unavailable unknown unlimited unpaid unmarried unemployed unused "
    "unsafe incomplete inactive invalid intolerant allergic vegan vegetarian teetotal sober single deaf blind "
    "strangers rarely hardly barely scarcely seldom less too stay stays instead prevent prevents prevented deny "
    "denied denies reject rejected rejects keep keeps afraid impossible few zero last unless offline bare alone "
    "outside away neutral waived spared verboten untersagt gesperrt unmöglich frei nur geschlossen zu fehlt fehlen "
    "außer hasse vermeide aus kaum allergisch interdit interdite défendu sauf seulement fermé manque évite déteste "
    "allergique prohibido prohibida salvo sólo solo cerrado falta evito odio alérgico alérgica proibido proibida "
    "só exceto fechado odeio detesto alérgico vietato vietata solo tranne chiuso odio allergico запрещено запрещён "
    "запрещена нельзя только кроме закрыт закрыто ненавижу аллергия zabronione zakaz tylko oprócz förbjudet bara "
    "utom verboden alleen behalve yasak yalnızca ممنوع فقط exceed exceeds most least max min maximum minimum limit "
    "limited einzelkind vegetarier vegetarierin vegetarisch ledig schwierig schwer difficult hard near close "
    "nearby always extra teetotaller unsweetened végétarien végétarienne vegetariano vegetariana único "
    "única unico unica вегетарианец вегетарианка coeliac celiac diabetic volunteer volunteers pending still "
    "awaiting awaits waiting undecided expensive costly pricey small short light bad badly poor poorly slow slowly "
    "quiet silent different differs differ differently remain remains skip skips skipped omit omits omitted ignore "
    "ignores ignored lose loses lost miss misses missed forget forgets forgot bald ill sick unwell away shy young "
    "cheap weak dry plain simple earliest from after erst frühestens ab separately separate manually dislikes "
    "struggle struggles rather blocks blocked restricted confidential secret "
    "禁 只 素 忌 别 勿 免 怕 讨 厌 嫌 苦".split()
)
_SOFT_ENDINGS = ("less", "free", "los", "frei")


def is_denial(word: str) -> bool:
    """Tell whether a normalised word denies."""
    return word in DENIALS or word.endswith("n't")


def denies(text: str, tokens: Iterable[str]) -> bool:
    """Tell whether a statement denies something outright.

    Args:
        text: the statement, normalised.
        tokens: its words.
    """
    found = [token for token in tokens if is_denial(token)]
    if not found and not _PARTS.search(text):
        return False
    rest = _NO_DENIALS.sub("", text)
    if rest != text:
        found = [token for token in regex.findall(r"[\p{L}']+", rest) if is_denial(token)]
    if set(found) == {"no"} and not _PORTUGUESE.isdisjoint(text.split()):
        return False
    return bool(found) or bool(_PARTS.search(rest))


def denies_softly(tokens: Iterable[str]) -> bool:
    """Tell whether a word of a statement can stand for a denial in other words."""
    return any(token in _SOFT or token.endswith(_SOFT_ENDINGS) for token in tokens)

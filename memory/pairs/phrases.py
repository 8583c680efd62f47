"""English phrases that are written as others before statements are compared, so that one idea has one form."""

from __future__ import annotations

import regex

_BEFORE_NUMBER = (
    r"(?= (?:the age of )?(?:\p{Nd}+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\p{L}+teen|\p{L}+ty|a "
    r"hundred|a thousand)\b)"
)
_X = r"(?:am|is|are|was|were|be)"
_WRITTEN = (
    # What only opens or closes a statement.
    (r"^(?:in case i haven't told you|"
     r"just so you know|by the way|fyi|for the record|to be honest|honestly|believe it or "
     r"not|in fact|as a matter of fact|of course|as you know|well|actually|so|unfortunately|sadly|luckily)[,:]? ", ""),
    (r"^(?:please )?note that |^(?:i have to|i must) (?:say|admit),? (?:that )?|^it turns out (?:that )?", ""),
    (r",? (?:by the way|actually|you know|in fact|to be honest|honestly|unfortunately|sadly|luckily)$", ""),
    (r"\b(?:actually|really|simply|please|kindly|finally) ", ""),
    # Contractions.
    (r"\bcan't\b|\bcannot\b", "can not"), (r"\bwon't\b", "will not"), (r"\bshan't\b", "shall not"), (r"n't\b", " not"),
    (r"\bi'm\b", "i am"), (r"'re\b", " are"), (r"'ve\b", " have"), (r"'ll\b", " will"),
    (r"\b(i|you|he|she|we|they)'d (?=love|like|rather|prefer)", r"\1 would "),
    (r"(?<=\b(?:it|that|there|he|she|what|where))'s\b", " is"),
    (r"\b(has|have)( not)? got\b(?! to)", r"\1\2"), (r"\bi got (?=a \p{L}+ allergy)", "i have "),
    # What must, can or must not be.
    (rf"\b{_X} (?:not )?(?:unable|not able) to\b", "can not"), (rf"\b{_X} able to\b", "can"),
    (rf"\b{_X} not supposed to\b", "may not"), (r"\bit is (?=(?:not )?(?:forbidden|prohibited|allowed))", ""),
    (r"\b(?:it )?is impossible\b(?: to)?(?: for (?=me\b))?", "is not possible"),
    (r"\b(?:has|have) to\b|\b(?:need|needs) to\b|\bgot to\b", "must"),
    (rf"\b{_X} (?:required|obliged|obligated) to\b|\b(?:is|are) to(?= be\b| \p{{L}}+$)", "must"),
    (r"\b(?:has|have) no right to\b", "may not"), (r"\b(?:not|no longer) permitted\b", "not allowed"),
    (r"\bmust not\b|\bmay not\b|\bmust never\b|\bmay never\b", "can not"),
    (r"\b(?:nobody|no one|none) (?=can|may|must)", "people not "), (r"^no (\p{L}+ing)\b", r"\1 not allowed"),
    (r"\b(?:do|does) not (?:need|have) to\b|\bneed not\b", "optionally"),
    (r"\b(?:is|are) not (?:needed|required|necessary)\b", "optionally"),
    # Places, times and limits.
    (r"\bat the end of(?: the)?\b|\blate in\b|\bin late\b", "in late"),
    (r"\b(?:at|in) the (?:start|beginning) of(?: the)?\b|\bearly in\b", "in early"),
    (r"\bnext to\b|\bbeside\b", "beside"), (r"\b(?:close to|not far from)\b", "near"), (r"\bon top of\b", "on"),
    (r"\b(?:due to|because of|owing to|on account of)\b", "because"), (r"\b(?:up )?until\b|\btill\b", "until"),
    (r"\bprior to\b", "before"), (r"\b(?:beforehand|ahead of time|in advance)\b", "beforehand"),
    (r"\bby (?:itself|themselves)\b|\b(?:on|of) (?:its|their) own(?! \p{L})", "automatically"),
    (r"\b(?:free of charge|for free|at no (?:extra )?cost|without (?:charge|paying)|for nothing)\b", "free"),
    (r"\bfor good\b|\bfor ever\b|\bforever\b", "permanently"), (r"\bby hand\b", "manually"),
    (r"\b(?:over|on|via|through) the (?:internet|web)\b", "online"),
    (r"\b(?:over the phone|by telephone)\b", "by phone"),
    (r"\b(?:right away|straight away|at once|instantly)\b", "immediately"),
    (r"\bout of (?:order|service)\b|\b(?:is|are|does|do) not (?:work|working)(?= *$)|\bfaulty\b|"
     r"\bdefective\b", "broken"),
    (r"\b(?:is|are) broken\b|\bbroken\b", "is broken"), (r"\bis is broken\b", "is broken"),
    (r"\b(?:no|not) (?:more|later|longer|older|higher|larger|bigger) than\b|\bup to\b|\bat most\b|"
     r"\ba maximum of\b", "atmost"),
    (r"\b(?:no|not) (?:less|fewer|earlier|sooner|younger|lower) than\b|\bat least\b|\ba minimum of\b", "atleast"),
    (rf"\b(?:larger|bigger|more|longer|older|higher|heavier) than\b{_BEFORE_NUMBER}|"
     rf"\b(?:exceeding|over|above){_BEFORE_NUMBER}", "morethan"),
    (rf"\b(?:smaller|less|fewer|shorter|younger|lower|lighter) than\b{_BEFORE_NUMBER}|"
     rf"\b(?:under|below){_BEFORE_NUMBER}", "lessthan"),
    (rf"\b(?:around|about|approximately|approx|roughly|circa|some)\.?{_BEFORE_NUMBER}", "approx"),
    (r"\b(?:in case|as long as|provided that|whenever|when)\b", "if"),
    (r"\bas soon as\b", "after"), (r"\bwithin the\b", "within"), (r"\bin order to\b|\bso as to\b", "to"),
    (r"\brather than\b|\binstead of\b", "not"),
    # Other words for one relation.
    (r"\b(?:takes?|taking) place\b|\b(?:is|are) (?:being )?held\b|\boccurs?\b|\bhappens?\b", "happen"),
    (r"\byou(?: will|'ll)?(?: can)? find (?P<what>.+?) (?=in|on|at|under|behind|beside|near)\b", r"\g<what> is "),
    (r"\b(?:can|may|will) be found\b|\b(?:is|are) (?:located|situated|to be found)\b", "is"),
    (r"^(.+?) is where (.+)$", r"\2 in \1"), (r"^(.+?) is something (?:that )?(i .+)$", r"\2 \1"),
    (r"^it (?:was|is) (.+?) (?:who|that) (.+)$", r"\1 \2"),
    (r"^(.+?) (?:scares?|frightens?|terrif(?:y|ies)) (.+)$", r"\2 is afraid of \1"),
    (r"\b(?:scared|frightened|terrified)(?= of\b)", "afraid"),
    (r"\b(?:has|have) (?:a|an)(?: \p{L}+)? fear of\b", "is afraid of"), (r"\bme is\b", "i am"),
    (r"\b(?:has|have) (?:a|an) (\p{L}+) allergy\b", r"is allergic to \1"),
    (r"\b(?:can|could) not (?:stand|bear)\b|\b(?:hate|detest|loathe)\b", "hate"),
    (r"^(.+?) (?:is|are) not (?:my thing|for me|my cup of tea)(?: at all)?$", r"i do not like \1"),
    (r"\bprefer (.+?) (?:to|over) (.+)$", r"like \1 better than \2"),
    (r"\bworks? as (?=an? )", "is "), (r"\bworked as (?=an? )", "was "),
    (r"\bam (?=an? )(?P<job>.+) by (?:profession|trade)$", r"is \g<job>"),
    (r"\bmake my living as\b", "am"), (r"\bam (?:originally )?from\b|\bcome from\b", "am from"),
    (r"\b(?:became|got to be|am) a member of\b", "joined"), (r"\bgo to bed\b|\bam in bed\b", "go to bed"),
    (r"\bgot married\b", "married"), (r"\bour wedding was\b", "we married"), (r"\bdr\b\.?", "doctor"),
    (r"\bper (?=hour|day|week|month|year|night|person|km|kilomet)", "a "),
    (r"\b(\S+)( \p{L}+)? or (?:more|older|above|over)\b", r"atleast \1\2"),
    (r"\bsince (?:i|he|she) (?:was|turned) ", "since the age of "),
    (r"\b(?:when i was|at the age of|at) (?=\p{L}+teen$|1\p{Nd}$)|\b(?:when i was) (?=\p{Nd}+$)", "at the age of "),
    (r"\bearlier than\b", "before"), (r"\blater than\b", "after"), (r"(?<=\p{Nd})(?:st|nd|rd|th)\b", ""),
    (r"\b(?:has|have|takes?) an? (nap|rest|walk|shower|bath|break|look)\b", r"\1"),
    (r"\b(?:looks? out (?:on|over|onto)|overlooks?|faces?)\b", "face"),
    (r"\bunder (?:renovation)\b", "being renovated"), (r"\bunder construction\b", "being built"),
    (r"\bunder (?:repair)\b", "being repaired"), (r"\bunder (review|development)\b", r"being \1ed"),
    (r"\b(?:go|goes|travel|travels|commute|get) (to \S+) by bi(?:ke|cycle)\b", r"bike \1"),
    (r"\b(?:ride my bi(?:ke|cycle)|cycle)\b", "bike"), (r"\bwith my left hand\b", "left handed"),
    (r"\b(?:valid until|runs out|runs until)\b", "expires"), (r"\b(?:put|puts|putting) in\b", "install"),
    (r"\blook(?:s|ed)? after\b|\btakes? care of\b|\bin charge of\b|\bresponsible for\b", "manage"),
    (r"\bthrow(?:s|n)? (?:away|out)\b", "discard"), (r"\bfill(?:s|ed)? (?:in|out)\b", "complete"),
    (r"\b(?:hand|handed|turn|turned) in\b", "submit"), (r"\bpick(?:s|ed)? up\b", "collect"),
    (r"\b(?:switched|turned) off\b|\bdisabled\b", "off"), (r"\b(?:switched|turned) on\b|\benabled\b", "on"),
    (r"\bset(?:s)? up\b", "install"), (r"\btak(?:e|es|en) part in\b", "attend"),
    (r"\btidies? up\b", "clean"), (r"\bshut(?:s)? down\b", "close"),
    (r"\bgrew up in\b|\bwas raised in\b", "grew up in"),
    (r"\bpass(?:ed)? away\b", "die"), (r"\bmade (?:of|from|out of)\b", "made of"),
    (r"\bdepend(?:s)? on\b|\brel(?:y|ies) on\b", "depend on"),
    (r"\bconsists? of\b|\bcomprises?\b|\bmade up of\b", "has"),
    (r"\bno charge\b", "free"), (r"\bare welcome (?=at|in|on)", "may come "),
    (r"\bpets? are welcome$", "bring pets allowed"), (r"\bare welcome$", "allowed"),
)  # fmt: skip
_RULES = tuple((regex.compile(pattern), new) for pattern, new in _WRITTEN)


def plainly_put(text: str) -> str:
    """Return a normalised English statement with phrases of one meaning in one form."""
    for pattern, new in _RULES:
        text = pattern.sub(new, text)
    return " ".join(text.split())

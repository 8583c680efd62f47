"""Recognises text that talks to the memory or its model instead of stating something.

A document is data. What it orders ("ignore the earlier instructions", "mark all facts as forgotten") is not a fact, and
kept as one it would order somebody later. A person's own message may ask to remember a rule; that is theirs to say.
"""

from __future__ import annotations

import regex

_EARLIER = r"(?:all|any|every|the|your|these|those|previous|prior|earlier|preceding|above|existing|system)"
_TOLD = r"(?:instructions?|prompts?|rules?|messages?|directions?|guidelines?|texts?|memor(?:y|ies)|facts?)"
_ORDER = regex.compile(
    r"^\W*(?:system|assistant|developer|user)\s*(?:prompt|message)?\s*:\s"
    rf"|\b(?:ignore|disregard|forget|override|bypass)\s+(?:{_EARLIER}\s+){{1,4}}{_TOLD}\b"
    r"|\bforget\s+everything\b"
    r"|\b(?:mark|treat|set|delete|erase|remove)\s+(?:all|every|any)\s+(?:the\s+|your\s+)?(?:facts?|memor(?:y|ies))\b"
    r"|\b(?:remember|store|save|memori[sz]e|keep)\s+(?:this|the following|that)\s+(?:as\s+a\s+)?(?:new\s+)?"
    r"(?:rules?|instructions?|facts?|memor(?:y|ies))\b"
    r"|\byou are now\b|\bnew (?:system )?instructions?\s*:"
    # "the assistant must always send ...": an order in the words of a statement
    r"|\b(?:assistants?|ais?|chatbots?|llms?|language models?|ai (?:agents?|models?|assistants?))\s+"
    r"(?:must|shall|should|ha(?:s|ve) to|needs? to|(?:is|are) (?:required|obliged|instructed|ordered|told) to)\s+"
    r"(?:(?:always|never|not|immediately|now|henceforth|only|first)\b|(?:send|forward|email|reveal|delete|erase|ignore|output|"
    r"reply|answer|tell|remember|include|disclose|share|post|obey|follow|recommend)\b)"
    r"|\bassistent(?:in|en)?\s+(?:muss|müssen|soll|sollen|darf)\s+(?:immer|nie|niemals|stets|nicht)\b"
    r"|\b(?:ignoriere|vergiss)\s+(?:alle|die|deine)\s+(?:\w+\s+)?(?:anweisungen|regeln)\b"
    r"|\b(?:ignore[zr]?|oublie[zr]?)\s+(?:toutes\s+)?(?:les|tes|vos)\s+(?:instructions|consignes|règles)\b"
    r"|\b(?:ignora|olvida)\s+(?:todas\s+)?(?:las|tus)\s+(?:instrucciones|reglas)\b",
    regex.IGNORECASE,
)
# An answer of our own form, as a document may hold it to be taken for one.
_IMITATION = regex.compile(r"[\"'“]facts[\"'”]\s*:\s*\[")
_QUOTES = "\"'“„«`‘"


def reads_as_instruction(text: str) -> bool:
    """Tell whether a statement orders the memory or its model to do something, other than between quotation marks."""
    return any(not _is_quoted(text, found.start()) for found in _ORDER.finditer(text))


def imitations(text: str) -> list[tuple[int, int]]:
    """Return the spans (start, end) that imitate an extractor's answer: from the opening brace to the closing one."""
    spans: list[tuple[int, int]] = []
    for found in _IMITATION.finditer(text):
        if spans and found.start() < spans[-1][1]:
            continue
        brace = text.rfind("{", max(0, found.start() - 40), found.start())
        end = _closing(text, brace if brace >= 0 else found.start())
        spans.append((brace if brace >= 0 else found.start(), end))
    return spans


def _closing(text: str, start: int) -> int:
    """Return the offset behind the bracket that closes the first one, or the end of the text."""
    depth = 0
    for offset in range(start, len(text)):
        depth += (text[offset] in "{[") - (text[offset] in "}]")
        if depth == 0 and text[offset] in "}]":
            return offset + 1
    return len(text)


def _is_quoted(text: str, start: int) -> bool:
    before = text[:start].rstrip(" .,:;")
    return before.endswith(tuple(_QUOTES))

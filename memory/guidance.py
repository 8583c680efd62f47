"""What the owner of a space wants to be learned: told to a language model, and held by rule whatever a model answers.

A phrase is met by a text that has every content word of it, the same rule as that of forgetting by a phrase.
"""

from __future__ import annotations

from dataclasses import dataclass

from memory.segmentation import query_terms, segment

EXCLUDED = "the settings exclude it"
NOT_INCLUDED = "the settings do not include it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Guidance:
    """What is wanted of a space's material; nothing of it: everything that it states."""

    entity_context: str | None = None  # what the material is about
    filter_prompt: str | None = None  # which facts a language model is to keep
    include: tuple[str, ...] = ()  # phrases; a fact has to meet one of them
    exclude: tuple[str, ...] = ()  # phrases; a fact must not meet any

    @property
    def instructions(self) -> str:
        """What a language model is told beside its instructions; empty when there is nothing to tell."""
        parts = []
        if self.entity_context:
            parts.append(f"What the text is about, to help you understand it: {_line(self.entity_context)}")
        if self.filter_prompt:
            parts.append(f"Keep only facts that fit this, and leave all others out: {_line(self.filter_prompt)}")
        if self.include:
            parts.append(f"Keep only facts about: {_line('; '.join(self.include))}")
        if self.exclude:
            parts.append(f"Leave out facts about: {_line('; '.join(self.exclude))}")
        return "\n".join(parts)

    def refusal(self, text: str) -> str | None:
        """Say why a fact is not to be kept; None when it is.

        Args:
            text: of the fact.
        """
        if not (self.include or self.exclude):
            return None
        terms = set(segment(text))
        if any(_meets(terms, phrase) for phrase in self.exclude):
            return EXCLUDED
        if self.include and not any(_meets(terms, phrase) for phrase in self.include):
            return NOT_INCLUDED
        return None


NO_GUIDANCE = Guidance()


def _meets(terms: set[str], phrase: str) -> bool:
    wanted = set(query_terms(phrase))
    return bool(wanted) and wanted <= terms


def _line(text: str) -> str:
    return " ".join(text.split())

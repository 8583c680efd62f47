"""Context: what a model should be told for a question, of every kind that there is, within a budget of tokens."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from memory.context_forms import FORMS, SECTIONS, SYSTEM
from memory.errors import InvalidInput
from memory.packing import Item, Packed, Section, pack
from memory.records import Clocks, Scope, SearchQuery
from services.context_sections import OF_QUESTION, OF_SESSION, SOURCES, Asked, Looked
from services.host import Host

# What each section may count on while it has items, as parts of the budget. Facts are the shortest evidence and get the
# most; a passage is long, and in 2,000 tokens a fifth is one of them; the rest is a fifth each, and notes are few.
SHARES: Mapping[str, float] = {"profile": 0.2, "memories": 0.3, "chunks": 0.2, "scratchpad": 0.1, "turns": 0.2}
# Items of a section that are looked at, at most: what is worth less than so many others is worth nothing in a prompt.
MOST_ITEMS = 1000
# The shortest item there is: number, day and one word. A budget has room for no more items than this says.
LEAST_TOKENS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a context is asked for."""

    budget: int  # most tokens, 0 or more
    query: SearchQuery | None = None  # what memories and chunks are searched with, its mode and limit apart
    clocks: Clocks = field(default_factory=Clocks)
    system: str | None = None  # the caller's own text, put first
    sections: Collection[str] | None = None  # None: whatever there is something to go by for
    form: str = "markdown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """A context and what is missing from it."""

    packed: Packed
    form: str
    budget: int
    degraded: tuple[str, ...] = ()  # what is missing and why, one sentence each
    reasons: Mapping[str, str] = field(default_factory=dict)  # by section: why nothing was found for it


def assemble(scope: Scope, host: Host, wanted: Wanted) -> Context:
    """Put a context together.

    Args:
        scope: whose; its session is the one whose turns and notes are told.
        host: the adapters.
        wanted: what is to be in it.

    Returns:
        Whole items within the budget by `host.count_tokens`. What cannot be reached is missing; `degraded` says so.

    Raises:
        InvalidInput: a section is wanted for which something is missing; the details name it.
    """
    names = _sections(scope, wanted)
    most = min(MOST_ITEMS, wanted.budget // LEAST_TOKENS + 1)
    asked = Asked(scope=scope, host=host, query=wanted.query, clocks=wanted.clocks, most=most)
    looked = {name: SOURCES[name](asked) for name in names if name != SYSTEM}
    own = (Item(id=SYSTEM, text=wanted.system),) if wanted.system is not None else ()
    sections = [
        Section(name=SYSTEM, items=own, share=1.0, first=True) if name == SYSTEM else _section(name, looked[name])
        for name in names
    ]
    packed = pack(sections, budget=wanted.budget, count=host.count_tokens, form=FORMS[wanted.form])
    degraded = tuple(dict.fromkeys(reason for one in looked.values() for reason in one.degraded))
    reasons = {name: one.reason for name, one in looked.items() if one.reason}
    return Context(packed=packed, form=wanted.form, budget=wanted.budget, degraded=degraded, reasons=reasons)


def _section(name: str, looked: Looked) -> Section:
    return Section(
        name=name, items=looked.items, share=SHARES[name], backwards=name in OF_SESSION, more=looked.more
    )  # fmt: skip


def _sections(scope: Scope, wanted: Wanted) -> list[str]:
    """Return the sections that are wanted, in the order they are shown."""
    lacks = {
        **({} if wanted.query else dict.fromkeys(OF_QUESTION, "query")),
        **({} if scope.session else dict.fromkeys(OF_SESSION, "session_id")),
        **({} if wanted.system is not None else {SYSTEM: "system"}),
    }
    if wanted.sections is None:
        return [name for name in SECTIONS if name not in lacks]
    for name in wanted.sections:
        if name in lacks:
            raise InvalidInput(f"The section `{name}` needs `{lacks[name]}`.", field=lacks[name])
    return [name for name in SECTIONS if name in wanted.sections]

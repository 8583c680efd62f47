"""Filtered search answers exactly what somebody would who looks at every row: 10,000 random questions."""

import json
import random
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pytest

from memory import filters
from memory.records import BEGINNING, FOREVER, Scope, SearchQuery
from memory.segmentation import shadow
from memory.statements import normalised
from services.search import search
from store import believed, rows
from tests.rows import ACTOR, put_conversation, put_document, put_memories, searching_host

CASES, STORES, VIEWS = 10_000, 20, 12
SPACES, USERS, SESSIONS = ("red", "blue"), (None, "ann", "bob"), (None, "s-1")
DOCUMENTS, CONVERSATIONS = ("doc_1", "doc_2"), ("c-1", "c-2")
WORDS = ("tea", "rum", "boat", "moon", "snow", "Ann", "Oslo")
QUESTIONS = ("tea", "boat moon", "does Ann like snow?", "?!", "rum rum Oslo tea")
KINDS = ("fact", "preference", "episode")
SECOND = 1_000_000


class Belief(NamedTuple):
    """What was believed of a row from a time on."""

    since: int
    kind: str
    confidence: float
    metadata: dict[str, Any]
    facts: dict[str, Any]  # what a filter may ask


def belief(since, kind, confidence, metadata):
    own = {"kind": kind, "confidence": confidence, "support": 1, "isStatic": False, "speaker": None, "version": 1}
    if kind == "chunk":
        own = {"kind": kind, "type": "text", "title": "Guide", "filepath": None, "customId": None}
    return Belief(since, kind, confidence, metadata, {**own, **metadata})


@dataclass(kw_only=True)
class Record:
    """What the test itself knows of a row."""

    space: str
    text: str
    user: str | None = None
    session: str | None = None
    document: str | None = None
    conversation: str | None = None
    windows: list[list[int]]  # valid_from, valid_to, recorded_at, retired_at
    beliefs: list[Belief]
    title: str | None = None  # of a chunk
    number: int = 0  # in the metadata of a memory, so that it can be asked for alone
    since: int = 0

    @cached_property
    def key(self):
        """What rows that say the same have in common."""
        return shadow(self.text), normalised(self.text)

    def visible(self, scope, as_of, known_at, mode):
        wanted = {"memories": self.title is None, "documents": self.title is not None, "hybrid": True}[mode]
        mine = scope.user in (None, self.user) or self.user is None
        here = scope.session in (None, self.session) or self.session is None
        return wanted and mine and here and any(
            begin <= as_of < end and recorded <= known_at < retired for begin, end, recorded, retired in self.windows
        )  # fmt: skip

    def believed(self, known_at):
        return next(one for one in reversed(self.beliefs) if one.since <= known_at or one is self.beliefs[0])

    def passes(self, query, known_at):
        belief, chunk = self.believed(known_at), self.title is not None
        if not chunk and belief.confidence < query.min_confidence:
            return False
        if query.kinds and (chunk or belief.kind not in query.kinds):
            return False
        sourced = self.since <= known_at
        if query.document_id is not None and not (self.document == query.document_id and (sourced or chunk)):
            return False
        names = (self.conversation, f"ses_{self.conversation}") if self.conversation and sourced else ()
        if query.session_id is not None and query.session_id not in (*names, self.session):
            return False
        return filters.matches(query.filters, belief.facts)


class World:
    """A store with its records, and what each row scores in the eyes of a search without filters."""

    def __init__(self, folder, seed):
        self.draw = random.Random(seed)
        self.host = searching_host(folder)
        self.start, self.records, self.scores = self.host.clock(), {}, {}
        for space in SPACES:
            self._tell(space)
        for _ in range(12):
            self._change()

    def _tell(self, space):
        draw, host = self.draw, self.host
        episodes = {one: put_conversation(host, space, f"{space}-{one}", ["Hello."])[0] for one in CONVERSATIONS}
        for name in DOCUMENTS:
            bodies = [f"{' '.join(draw.choices(WORDS, k=3))} {name} {number}" for number in range(3)]
            ids = put_document(host, space, f"{space}-{name}", bodies)
            for row_id, body in zip(ids, bodies, strict=True):
                self.records[f"chk_{row_id}"] = Record(
                    space=space, text=f"Guide\n{body}", title="Guide", document=f"{space}-{name}",
                    windows=[[BEGINNING, FOREVER, host.clock(), FOREVER]],
                    beliefs=[belief(0, "chunk", 1, {"team": "docs"})],
                )  # fmt: skip
        for _ in range(22):
            host.clock.advance(draw.randrange(3))
            self._remember(space, episodes)

    def _remember(self, space, episodes):
        draw, at = self.draw, self.host.clock()
        # Some say the same, so that one of them is left out.
        text = " ".join(draw.choices(WORDS, k=draw.choice((1, 4, 4, 4))))
        document = f"{space}-{draw.choice(DOCUMENTS)}" if draw.random() < 0.3 else None
        said = draw.choice(CONVERSATIONS) if document is None and draw.random() < 0.5 else None
        window = draw.choice(((BEGINNING, FOREVER), (at - 5 * SECOND, at + 9 * SECOND), (at, FOREVER)))
        user, session = draw.choice(USERS), draw.choice(SESSIONS)
        kind, confidence, metadata = self._belief(len(self.records))
        (row_id,) = put_memories(
            self.host, space, [text], group=draw.choice(("g1", "g2")), kind=kind, confidence=confidence, window=window,
            metadata=metadata, user=user, session=session, document=document,
            episode=episodes[said] if said else None, start=draw.randrange(9),
        )  # fmt: skip
        self.records[f"mem_{row_id}"] = Record(
            number=metadata["row"],
            space=space, text=text, user=user, session=session, document=document, since=at,
            conversation=f"{space}-{said}" if said else None, windows=[[*window, at, FOREVER]],
            beliefs=[belief(at, kind, confidence, metadata)],
        )  # fmt: skip

    def _belief(self, number):
        draw = self.draw
        sent = {"team": draw.choice(("north", "South", "docs")), "n": draw.randrange(9), "kind": draw.choice(KINDS),
                "tags": draw.sample(("a", "b", "C"), draw.randrange(3)), "note": draw.choice(WORDS)}  # fmt: skip
        metadata = {key: value for key, value in sent.items() if draw.random() < 0.6}
        metadata["row"] = number
        return draw.choice(KINDS), draw.choice((0.5, 0.7, 0.9)), metadata

    def _change(self):
        """Retire what was believed of one memory, or believe something else of it."""
        self.host.clock.advance(1)
        memory_id = self.draw.choice([one for one in self.records if one.startswith("mem_")])
        record, row_id, at = self.records[memory_id], int(memory_id[4:]), self.host.clock()
        with self.host.store.write("default") as tx:
            if self.draw.random() < 0.4:
                rows.retire_windows(tx, row_id, at=at, actor=ACTOR, reason="test")
                for window in record.windows:
                    window[3] = min(window[3], at) if window[1] > at else window[3]
                return
            kind, confidence, metadata = self._belief(record.number)
            believed.keep(tx, memory_id, at=at)
            tx.execute("UPDATE memory SET kind = ?, confidence = ?, metadata = ? WHERE id = ?",
                       (kind, confidence, json.dumps(metadata), memory_id))  # fmt: skip
            rows.announce(tx, row_id, "metadata", at=at)
            record.beliefs.append(belief(at, kind, confidence, metadata))

    def question(self):
        draw, length = self.draw, (self.host.clock() - self.start) // SECOND
        moments = [None, None, *(self.start + draw.randrange(-1, length + 2) * SECOND for _ in range(2))]
        # The rows are scored once for each of these.
        at = dict(as_of=draw.choice(moments), known_at=draw.choice(moments))
        seen = dict(mode=draw.choice(("memories", "hybrid", "documents")), q=draw.choice(QUESTIONS), **at)
        scope = Scope(tenant="default", spaces=tuple(draw.sample((*SPACES, "nowhere"), draw.randrange(1, 4))),
                      user=draw.choice(USERS), session=draw.choice(SESSIONS))  # fmt: skip
        return scope, seen

    def narrowing(self):
        draw, space = self.draw, self.draw.choice(SPACES)
        asked = {
            "filters": lambda: filters.parse(self.sent_filter()),
            "kinds": lambda: frozenset(draw.sample(KINDS, draw.randrange(1, 3))),
            "min_confidence": lambda: draw.choice((0.5, 0.6, 0.7, 0.95)),
            "document_id": lambda: f"{space}-{draw.choice((*DOCUMENTS, 'doc_3'))}",
            "session_id": lambda: draw.choice(("s-1", f"{space}-c-1", f"ses_{space}-c-2", "nowhere")),
            "threshold": lambda: draw.choice((0.1, 0.3, 0.6)),
        }  # fmt: skip
        chosen = {name: make() for name, make in asked.items() if draw.random() < 0.3}
        return {**chosen, "limit": draw.choice((1, 2, 3, 5, 10, 40))}

    def sent_filter(self, depth=0):
        draw = self.draw
        if depth < 2 and draw.random() < 0.3:
            return {draw.choice(("AND", "OR")): [self.sent_filter(depth + 1) for _ in range(draw.randrange(1, 4))]}
        leaf = draw.choice((
            {"key": "team", "value": draw.choice(("north", "SOUTH", "docs"))},
            {"key": "n", "value": draw.randrange(9), "filterType": "numeric",
             "numericOperator": draw.choice((">", "<", ">=", "<=", "="))},
            {"key": "tags", "value": draw.choice("abc"), "filterType": "array_contains"},
            {"key": "note", "value": draw.choice(("o", "EA", "tea")), "filterType": "string_contains"},
            {"key": "kind", "value": draw.choice((*KINDS, "chunk"))},
            {"key": "confidence", "value": 0.7, "filterType": "numeric", "numericOperator": ">="},
        ))  # fmt: skip
        return {**leaf, "negate": draw.random() < 0.3, "ignoreCase": draw.random() < 0.5}

    def scored(self, scope, space, seen):
        """Return what each row scores that a scope sees in a space; filters do not change it."""
        key = (space, scope.user, scope.session, *seen.values())
        if key not in self.scores:
            alone = Scope(tenant="default", spaces=(space,), user=scope.user, session=scope.session)
            hits = list(search(alone, self.host, SearchQuery(limit=1_000, **seen)).hits)
            as_of, known_at = (self.host.clock() if seen[one] is None else seen[one] for one in ("as_of", "known_at"))
            there = {one for one, record in self.records.items()
                     if record.space == space and record.visible(alone, as_of, known_at, seen["mode"])}  # fmt: skip
            assert {hit.id for hit in hits} <= there
            for one in sorted(there - {hit.id for hit in hits}):
                # Left out because a better one says the same: it is scored as that one alone.
                own = filters.parse({"key": "row", "value": self.records[one].number})
                (hit,) = search(alone, self.host, SearchQuery(limit=1_000, filters=own, **seen)).hits
                assert hit.id == one
                hits.append(hit)
            self.scores[key] = {hit.id: hit.similarity for hit in hits}
            assert set(self.scores[key]) == there
        return self.scores[key]

    def naive(self, scope, seen, asked):
        """Look at every row: those that may be found, best first, the same text once, cut."""
        query = SearchQuery(**asked, **seen)
        known_at = self.host.clock() if query.known_at is None else query.known_at
        scores = {one: score for space in scope.spaces for one, score in self.scored(scope, space, seen).items()}
        least = np.float32(query.threshold)
        passing = [one for one, score in scores.items()
                   if np.float32(score) >= least and self.records[one].passes(query, known_at)]  # fmt: skip
        passing.sort(key=lambda one: (-scores[one], int(one[4:])))
        first = {self.records[one].key: one for one in reversed(passing)}
        return [one for one in passing if first[self.records[one].key] == one][: query.limit]


@pytest.mark.parametrize("seed", range(STORES))
def test_filtered_search_is_the_naive_answer(tmp_path, seed):
    # given a store whose rows are visible, believed and described in all ways
    world, filled = World(tmp_path, seed), 0
    views = [world.question() for _ in range(VIEWS)]
    for number in range(CASES // STORES):
        scope, seen = views[number % len(views)]
        asked = world.narrowing()
        # when it is searched
        hits = search(scope, world.host, SearchQuery(**asked, **seen)).hits
        # then these are the rows that a look at each of them finds, in that order
        assert [hit.id for hit in hits] == world.naive(scope, seen, asked), (scope, seen, asked)
        filled += bool(hits)
    # and not because nothing ever passed
    assert filled > CASES // STORES // 5
    world.host.store.close()

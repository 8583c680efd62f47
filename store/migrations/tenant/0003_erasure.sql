-- Erasures: a receipt without content for each, and keyed hashes of what must not come back.

CREATE TABLE erasure (
    id TEXT PRIMARY KEY,                         -- ers_...
    kind TEXT NOT NULL CHECK (kind IN ('subject', 'document', 'memory', 'space', 'tenant')),
    state TEXT NOT NULL CHECK (state IN ('waiting', 'erasing', 'purging', 'finished', 'failed')),
    verify INTEGER NOT NULL,                     -- 1: the files are to be compared with the erased texts afterwards
    counts TEXT NOT NULL DEFAULT '{}',           -- JSON: what was erased, by name
    verification TEXT,                           -- JSON: outcome of the comparison
    note TEXT,                                   -- what is finished and could not be done all the same
    waits_for TEXT,                              -- what keeps it from being finished, or why it failed
    actor_kind TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    requested_at INTEGER NOT NULL,
    erased_at INTEGER,                           -- the rows were gone
    tried_at INTEGER,                            -- the files were last worked on
    finished_at INTEGER                          -- the files were clean
);
CREATE INDEX erasure_open ON erasure (state) WHERE state NOT IN ('finished', 'failed');

-- HMAC-SHA256 under a key of the tenant that is kept in control.db.
CREATE TABLE erased (
    kind TEXT NOT NULL CHECK (kind IN ('subject', 'document', 'memory', 'space', 'conversation', 'statement')),
    hash BLOB NOT NULL,
    erasure_id TEXT NOT NULL REFERENCES erasure (id),
    at INTEGER NOT NULL,
    PRIMARY KEY (kind, hash)
) WITHOUT ROWID;

-- Pages and files are fetched and read in slots of their own, so that slow ones hold up nothing else.

CREATE TABLE work_item_new (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id TEXT NOT NULL REFERENCES job (id),
    tally_id INTEGER REFERENCES tally (id),
    task TEXT NOT NULL,
    queue TEXT NOT NULL CHECK (queue IN ('host', 'background', 'sources')),
    payload TEXT NOT NULL,                       -- JSON: ids, never texts
    state TEXT NOT NULL CHECK (state IN ('ready', 'leased', 'done', 'failed', 'cancelled')),
    attempt INTEGER NOT NULL DEFAULT 0,          -- sendings so far; (id, attempt) names a lease
    failures INTEGER NOT NULL DEFAULT 0,         -- attempts that a node started and did not complete
    not_before INTEGER NOT NULL DEFAULT 0,
    lease_until INTEGER,
    node TEXT,
    reason TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
);
INSERT INTO work_item_new SELECT id, job_id, tally_id, task, queue, payload, state, attempt, failures, not_before,
    lease_until, node, reason, created_at, updated_at FROM work_item;
-- The numbers of items are never used again: a message of an old one may still be under way.
UPDATE sqlite_sequence SET seq = max(seq, (SELECT seq FROM sqlite_sequence WHERE name = 'work_item'))
    WHERE name = 'work_item_new' AND EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'work_item');
INSERT INTO sqlite_sequence (name, seq) SELECT 'work_item_new', seq FROM sqlite_sequence WHERE name = 'work_item'
    AND NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'work_item_new');
DROP TABLE work_item;
ALTER TABLE work_item_new RENAME TO work_item;
CREATE INDEX work_item_open ON work_item (queue, state, id) WHERE state IN ('ready', 'leased');
CREATE INDEX work_item_job ON work_item (job_id, state);

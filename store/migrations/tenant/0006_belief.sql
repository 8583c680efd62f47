-- What was believed before: reads of the past, the changes between two times, and why a version was made.

-- What a reinforcement or a change of metadata has overwritten; rows are only added. The memory itself has the present.
CREATE TABLE belief (
    id INTEGER PRIMARY KEY,
    memory_id TEXT NOT NULL REFERENCES memory (id),
    confidence REAL NOT NULL,
    support INTEGER NOT NULL,
    metadata TEXT NOT NULL,
    retired_at INTEGER NOT NULL                  -- believed until then
);
CREATE INDEX belief_memory ON belief (memory_id, retired_at);

ALTER TABLE memory ADD COLUMN version_reason TEXT;            -- why it was made, when its sources do not say

CREATE INDEX validity_retired ON validity (retired_at) WHERE retired_at IS NOT NULL;
CREATE INDEX candidate_memory ON candidate (memory_id) WHERE memory_id IS NOT NULL;

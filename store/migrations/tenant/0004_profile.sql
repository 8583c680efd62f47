-- Named parts of a profile, filled by the kind judge from their description.
CREATE TABLE bucket (
    id INTEGER PRIMARY KEY,
    space_id INTEGER NOT NULL REFERENCES space (id),
    key TEXT NOT NULL,
    description TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    retired_at INTEGER,
    swept_at INTEGER NOT NULL DEFAULT 0,         -- no memory that was recorded an hour before it is left to judge
    UNIQUE (space_id, key)
);

-- Which memory belongs into which; one that was judged and does not belong has a row as well.
CREATE TABLE bucket_memory (
    memory_id TEXT NOT NULL REFERENCES memory (id),
    bucket_id INTEGER NOT NULL REFERENCES bucket (id),
    belongs INTEGER NOT NULL,                    -- 0 or 1
    decision_id TEXT REFERENCES decision (id),
    at INTEGER NOT NULL,
    PRIMARY KEY (memory_id, bucket_id)
) WITHOUT ROWID;
-- The order in which a profile tells what is lasting.
CREATE INDEX memory_profile ON memory (
    space_id, is_static DESC, (kind = 'preference') DESC, support DESC, confidence DESC, recorded_at DESC
);
CREATE INDEX bucket_memory_bucket ON bucket_memory (bucket_id) WHERE belongs;

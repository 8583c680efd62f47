-- Named parts of a profile, filled by the kind judge from their description.
CREATE TABLE bucket (
    id INTEGER PRIMARY KEY,
    space_id INTEGER NOT NULL REFERENCES space (id),
    key TEXT NOT NULL,
    description TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    retired_at INTEGER,
    UNIQUE (space_id, key)
);

-- Which memory belongs into which; a memory that was judged and belongs into none has a row without a bucket.
CREATE TABLE bucket_memory (
    memory_id TEXT NOT NULL REFERENCES memory (id),
    bucket_id INTEGER NOT NULL REFERENCES bucket (id),
    belongs INTEGER NOT NULL,                    -- 0 or 1
    decision_id TEXT REFERENCES decision (id),
    at INTEGER NOT NULL,
    PRIMARY KEY (memory_id, bucket_id)
) WITHOUT ROWID;
CREATE INDEX bucket_memory_bucket ON bucket_memory (bucket_id) WHERE belongs;

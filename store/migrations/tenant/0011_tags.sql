-- What a space is called and wants of what comes in, the tenant's own settings, and spaces that were put away or merged.

ALTER TABLE space ADD COLUMN display_name TEXT;
ALTER TABLE space ADD COLUMN entity_context TEXT;             -- what its material is about, told to a model that extracts
ALTER TABLE space ADD COLUMN memory_paths TEXT;               -- JSON list: only documents below these teach; NULL: all do
ALTER TABLE space ADD COLUMN updated_at INTEGER;              -- of these settings
ALTER TABLE bucket ADD COLUMN shared INTEGER NOT NULL DEFAULT 0;  -- 1: of the tenant's settings, in every space

CREATE TABLE setting (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL,                         -- JSON
    actor_kind TEXT NOT NULL, actor_id TEXT NOT NULL,
    at INTEGER NOT NULL
) WITHOUT ROWID;

-- A space that was put away keeps its number and all its rows; what it has lost is the name by which a read finds it.
CREATE TABLE deletion (
    id TEXT PRIMARY KEY,                         -- del_...
    space_id INTEGER NOT NULL REFERENCES space (id),
    name TEXT NOT NULL,                          -- of the space until then
    documents INTEGER NOT NULL,                  -- live ones in it
    memories INTEGER NOT NULL,
    reason TEXT,
    actor_kind TEXT NOT NULL, actor_id TEXT NOT NULL,
    deleted_at INTEGER NOT NULL,
    restored_kind TEXT, restored_id TEXT,
    restored_at INTEGER,
    CHECK ((restored_at IS NULL) = (restored_kind IS NULL))
);
CREATE UNIQUE INDEX deletion_space ON deletion (space_id) WHERE restored_at IS NULL;
CREATE INDEX deletion_name ON deletion (name) WHERE restored_at IS NULL;

-- Spaces whose rows move into another one, a batch at a time.
CREATE TABLE merge (
    id TEXT PRIMARY KEY,                         -- mrg_...
    space_id INTEGER NOT NULL REFERENCES space (id),  -- the target
    state TEXT NOT NULL CHECK (state IN ('queued', 'moving', 'completed', 'failed')),
    first_row INTEGER NOT NULL,                  -- the target's next search row when it was asked for
    progress TEXT NOT NULL DEFAULT '{}',         -- JSON: how much has moved, by name
    job_id TEXT,                                 -- the judging of what now stands side by side
    reason TEXT,                                 -- why it failed
    actor_kind TEXT NOT NULL, actor_id TEXT NOT NULL,
    requested_at INTEGER NOT NULL,
    finished_at INTEGER
);
CREATE TABLE merge_source (
    merge_id TEXT NOT NULL REFERENCES merge (id) ON DELETE CASCADE,
    space_id INTEGER NOT NULL REFERENCES space (id),
    name TEXT NOT NULL,                          -- of the space until it was empty
    emptied_at INTEGER,
    PRIMARY KEY (merge_id, space_id)
) WITHOUT ROWID;
CREATE INDEX merge_source_space ON merge_source (space_id);

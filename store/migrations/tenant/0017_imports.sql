-- Imports: what was sent lies in a file until the writer has made rows of it, some lines at a time.

CREATE TABLE import (
    id TEXT PRIMARY KEY,                         -- imp_...
    state TEXT NOT NULL CHECK (state IN ('waiting', 'importing', 'finished', 'failed')),
    spaces TEXT NOT NULL,                        -- JSON list: names
    model TEXT,                                  -- that made the vectors in the file
    dimension INTEGER,
    lines INTEGER NOT NULL,                      -- of the file
    done INTEGER NOT NULL DEFAULT 0,             -- lines of which rows were made
    place INTEGER NOT NULL DEFAULT 0,            -- where in the file the next line begins
    counts TEXT NOT NULL DEFAULT '{}',           -- JSON: what was made, by kind of line
    reason TEXT,                                 -- why it failed
    actor_kind TEXT NOT NULL, actor_id TEXT NOT NULL,
    requested_at INTEGER NOT NULL,
    finished_at INTEGER
);
-- Until an import has ended, its spaces have no name by which a read finds them.
CREATE TABLE import_space (
    import_id TEXT NOT NULL REFERENCES import (id) ON DELETE CASCADE,
    space_id INTEGER NOT NULL REFERENCES space (id),
    name TEXT NOT NULL,                          -- of the space from then on
    sent TEXT NOT NULL,                          -- what the file calls it
    PRIMARY KEY (import_id, space_id)
) WITHOUT ROWID;

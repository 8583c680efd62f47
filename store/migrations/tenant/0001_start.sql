-- One file per tenant. Times are microseconds since the epoch, UTC; FOREVER is 2^62.
-- Intake (spaces, documents, sessions, episodes, jobs, work items, requests, idempotency) is written by the API and the
-- host worker in short transactions. Knowledge (memories, search rows, validity, vectors, sources, tombstones) is written
-- only by the reconcile worker, whose every commit checks the fence.

CREATE TABLE fence (id INTEGER PRIMARY KEY CHECK (id = 1), token INTEGER NOT NULL);
INSERT INTO fence (id, token) VALUES (1, 0);

CREATE TABLE space (
    id INTEGER PRIMARY KEY CHECK (id < 2147483648),
    name TEXT NOT NULL UNIQUE,
    next_row INTEGER NOT NULL DEFAULT 1,         -- the next search row of this space
    created_at INTEGER NOT NULL
);

-- How vectors were made. Exactly one generation serves; vectors of another are never searched with it.
CREATE TABLE generation (
    id INTEGER PRIMARY KEY,
    model TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    prefix_rules TEXT NOT NULL DEFAULT '',
    state TEXT NOT NULL CHECK (state IN ('serving', 'building', 'retired')),
    created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX generation_serving ON generation (state) WHERE state = 'serving';

CREATE TABLE document (
    id TEXT PRIMARY KEY,
    space_id INTEGER NOT NULL REFERENCES space (id),
    custom_id TEXT,
    title TEXT,
    title_sent INTEGER NOT NULL DEFAULT 1,       -- 0: read off the text, and off its next revision again
    type TEXT NOT NULL DEFAULT 'text',
    filepath TEXT,
    metadata TEXT NOT NULL DEFAULT '{}',
    document_date INTEGER,
    document_zone TEXT,
    user_id TEXT, agent_id TEXT, session_id TEXT,
    status TEXT NOT NULL,
    reason TEXT,
    warning TEXT,
    latest_revision INTEGER NOT NULL,
    live_revision INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER
);
CREATE UNIQUE INDEX document_custom_id ON document (space_id, custom_id) WHERE custom_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX document_listing ON document (space_id, created_at, id) WHERE deleted_at IS NULL;

CREATE TABLE revision (
    document_id TEXT NOT NULL REFERENCES document (id),
    revision INTEGER NOT NULL,
    content TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    tokens INTEGER,
    state TEXT NOT NULL CHECK (state IN ('pending', 'live', 'replaced', 'failed', 'cancelled')),
    job_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (document_id, revision)
) WITHOUT ROWID;

CREATE TABLE chunk (
    id TEXT PRIMARY KEY,
    document_id TEXT NOT NULL REFERENCES document (id),
    revision INTEGER NOT NULL,
    position INTEGER NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    heading TEXT NOT NULL,                       -- JSON list
    body TEXT NOT NULL,
    text_hash TEXT NOT NULL,                     -- of heading path and body: equal means the vector can be kept
    row_id INTEGER REFERENCES search_row (id),   -- shared with the equal chunk of an earlier revision
    opening TEXT NOT NULL,                       -- what the body has in front of the span: the opening of a split fence
    UNIQUE (document_id, revision, position)
);
CREATE INDEX chunk_row ON chunk (row_id) WHERE row_id IS NOT NULL;

CREATE TABLE session (
    id TEXT PRIMARY KEY,
    space_id INTEGER NOT NULL REFERENCES space (id),
    conversation_id TEXT,
    metadata TEXT NOT NULL DEFAULT '{}',
    user_id TEXT, agent_id TEXT,
    watermark INTEGER NOT NULL DEFAULT 0,        -- episodes below this index are handed to extraction
    job_id TEXT,                                 -- the newest consolidation
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX session_conversation ON session (space_id, conversation_id) WHERE conversation_id IS NOT NULL;

CREATE TABLE episode (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES session (id),
    seq INTEGER NOT NULL,                        -- 0-based, without gaps
    kind TEXT NOT NULL CHECK (kind IN ('turn', 'tool_call', 'tool_result', 'outcome', 'error')),
    role TEXT NOT NULL,
    name TEXT,
    content TEXT NOT NULL,
    occurred_at INTEGER,
    zone TEXT,
    metadata TEXT NOT NULL DEFAULT '{}',
    tokens INTEGER NOT NULL,
    salt BLOB NOT NULL,
    text_hash BLOB NOT NULL,                     -- sha256(salt, role, name, content)
    chain_hash BLOB NOT NULL,                    -- sha256(chain_hash of seq - 1, seq, text_hash)
    recorded_at INTEGER NOT NULL,
    UNIQUE (session_id, seq)
);

-- Whatever search can return: its index text and place. Text never changes; a new version is a new row.
CREATE TABLE search_row (
    id INTEGER PRIMARY KEY,                      -- space id << 32 | number in the space
    space_id INTEGER NOT NULL REFERENCES space (id),
    kind TEXT NOT NULL CHECK (kind IN ('memory', 'chunk')),
    group_key TEXT NOT NULL,                     -- session or document id: neighbours are looked for inside it
    position INTEGER NOT NULL,                   -- order inside the group
    user_id TEXT, agent_id TEXT, session_id TEXT,
    speaker TEXT,
    shadow TEXT NOT NULL,                        -- text as segmented by memory.segmentation
    terms INTEGER NOT NULL,                      -- number of terms in the shadow
    tokenizer INTEGER NOT NULL                   -- memory.segmentation.TOKENIZER_VERSION of the shadow
);

CREATE VIRTUAL TABLE search_text USING fts5 (
    shadow, content = 'search_row', content_rowid = 'id',
    tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co S* P*'"
);
CREATE VIRTUAL TABLE search_terms USING fts5vocab (search_text, instance);
CREATE TRIGGER search_row_added AFTER INSERT ON search_row BEGIN
    INSERT INTO search_text (rowid, shadow) VALUES (new.id, new.shadow);
END;
CREATE TRIGGER search_row_deleted BEFORE DELETE ON search_row BEGIN
    INSERT INTO search_text (search_text, rowid, shadow) VALUES ('delete', old.id, old.shadow);
END;
CREATE TRIGGER search_row_text_fixed BEFORE UPDATE OF shadow ON search_row BEGIN
    SELECT RAISE (ABORT, 'the text of a search row never changes; add a new row');
END;

CREATE TABLE vector (
    row_id INTEGER NOT NULL REFERENCES search_row (id),
    generation_id INTEGER NOT NULL REFERENCES generation (id),
    data BLOB NOT NULL,                          -- little-endian float32, L2-normalised
    PRIMARY KEY (row_id, generation_id)
);

-- Windows are only added or retired, half-open on both clocks. A row is live at (as_of, known_at) when a window of it
-- contains both. A search row without a window is staged and never returned.
CREATE TABLE validity (
    id INTEGER PRIMARY KEY,
    row_id INTEGER NOT NULL REFERENCES search_row (id),
    valid_from INTEGER NOT NULL,
    valid_to INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    job_id TEXT,
    retired_at INTEGER,
    retired_kind TEXT,
    retired_id TEXT,
    reason TEXT,
    CHECK (valid_from < valid_to),
    CHECK ((retired_at IS NULL) = (retired_kind IS NULL)),
    CHECK ((retired_at IS NULL) = (reason IS NULL))
);
CREATE INDEX validity_row ON validity (row_id);

CREATE TABLE memory (
    id TEXT PRIMARY KEY,
    space_id INTEGER NOT NULL REFERENCES space (id),
    row_id INTEGER NOT NULL UNIQUE REFERENCES search_row (id),
    root_id TEXT NOT NULL,
    parent_id TEXT REFERENCES memory (id),
    version INTEGER NOT NULL,
    statement TEXT NOT NULL,
    speaker TEXT,
    said_at INTEGER,
    said_zone TEXT,
    kind TEXT NOT NULL CHECK (kind IN ('fact', 'preference', 'episode')),
    confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    support INTEGER NOT NULL DEFAULT 1,
    is_static INTEGER NOT NULL DEFAULT 0,
    metadata TEXT NOT NULL DEFAULT '{}',
    equality_key TEXT NOT NULL,
    user_id TEXT, agent_id TEXT, session_id TEXT,
    model TEXT NOT NULL,                         -- what extracted it: "rules", "direct" or a model's name
    prompt_version TEXT NOT NULL DEFAULT '',
    job_id TEXT,
    actor_kind TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    recorded_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    forgotten_at INTEGER,
    forget_reason TEXT,
    forget_batch TEXT,
    UNIQUE (root_id, version)
);
CREATE INDEX memory_equality ON memory (space_id, equality_key);
CREATE INDEX memory_listing ON memory (space_id, recorded_at, id);
CREATE INDEX memory_parent ON memory (parent_id) WHERE parent_id IS NOT NULL;

CREATE TABLE source (
    id INTEGER PRIMARY KEY,
    memory_id TEXT NOT NULL REFERENCES memory (id),
    kind TEXT NOT NULL CHECK (kind IN ('document', 'episode', 'direct')),
    document_id TEXT REFERENCES document (id),
    revision INTEGER,
    chunk_id TEXT,
    episode_id TEXT REFERENCES episode (id),
    start INTEGER, end INTEGER,
    quote TEXT,
    job_id TEXT,
    recorded_at INTEGER NOT NULL,
    retired_at INTEGER,
    reason TEXT
);
CREATE INDEX source_memory ON source (memory_id);
CREATE INDEX source_document ON source (document_id, revision) WHERE document_id IS NOT NULL;
CREATE INDEX source_episode ON source (episode_id) WHERE episode_id IS NOT NULL;

-- How readers keep resident arrays fresh: one row per change, in the transaction that makes it.
CREATE TABLE change (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    space_id INTEGER NOT NULL,
    row_id INTEGER NOT NULL,
    op TEXT NOT NULL CHECK (op IN ('add', 'window', 'metadata', 'erase')),
    at INTEGER NOT NULL
);

CREATE TABLE candidate (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    space_id INTEGER NOT NULL REFERENCES space (id),
    job_id TEXT NOT NULL,
    source_key TEXT NOT NULL UNIQUE,             -- job, source, span and text: a repeated extraction adds nothing
    document_id TEXT, revision INTEGER, chunk_id TEXT,
    episode_id TEXT,
    statement TEXT NOT NULL,
    quote TEXT NOT NULL,
    start INTEGER NOT NULL, end INTEGER NOT NULL,
    position INTEGER NOT NULL,
    speaker TEXT, said_at INTEGER, said_zone TEXT,
    kind TEXT NOT NULL,
    confidence REAL NOT NULL,
    model TEXT NOT NULL,
    prompt_version TEXT NOT NULL DEFAULT '',
    equality_key TEXT NOT NULL,
    generation_id INTEGER,
    vector BLOB,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'ready', 'settled')),
    outcome TEXT,
    outcome_reason TEXT,
    memory_id TEXT,
    recorded_at INTEGER NOT NULL,
    settled_at INTEGER
);
CREATE INDEX candidate_ready ON candidate (state, seq) WHERE state <> 'settled';
CREATE INDEX candidate_job ON candidate (job_id, state);

-- What a person forgot is not learned again from a source older than the forgetting.
CREATE TABLE tombstone (
    memory_id TEXT PRIMARY KEY,
    space_id INTEGER NOT NULL,
    equality_key TEXT NOT NULL,
    user_id TEXT, agent_id TEXT,                 -- of the memory: one user's forgetting does not bind another
    forgotten_at INTEGER NOT NULL,
    reason TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX tombstone_equality ON tombstone (space_id, equality_key);

-- What a person asked of the writer; goes ahead of all candidates.
CREATE TABLE request (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'refused')),
    result TEXT,
    recorded_at INTEGER NOT NULL,
    settled_at INTEGER
);
CREATE INDEX request_waiting ON request (seq) WHERE state = 'waiting';

CREATE TABLE job (
    id TEXT PRIMARY KEY,
    space_id INTEGER NOT NULL REFERENCES space (id),
    kind TEXT NOT NULL CHECK (kind IN ('document', 'conversation')),
    state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'partial', 'failed', 'cancelled')),
    document_id TEXT, revision INTEGER, session_id TEXT,
    reason TEXT, warning TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    finished_at INTEGER
);
CREATE INDEX job_listing ON job (space_id, created_at, id);
CREATE INDEX job_open ON job (state) WHERE state IN ('queued', 'running');
CREATE INDEX job_document ON job (document_id) WHERE document_id IS NOT NULL;

-- Fan-in: the commit that brings `remaining` to 0 runs the continuation in the same transaction.
CREATE TABLE tally (
    id INTEGER PRIMARY KEY,
    job_id TEXT NOT NULL REFERENCES job (id),
    remaining INTEGER NOT NULL CHECK (remaining >= 0),
    continuation TEXT NOT NULL,
    payload TEXT NOT NULL DEFAULT '{}'
);

CREATE TABLE work_item (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id TEXT NOT NULL REFERENCES job (id),
    tally_id INTEGER REFERENCES tally (id),
    task TEXT NOT NULL,
    queue TEXT NOT NULL CHECK (queue IN ('host', 'background')),
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
CREATE INDEX work_item_open ON work_item (queue, state, id) WHERE state IN ('ready', 'leased');
CREATE INDEX work_item_job ON work_item (job_id, state);

CREATE TABLE idempotency (
    route TEXT NOT NULL,
    key TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    status INTEGER NOT NULL,
    response TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (route, key)
) WITHOUT ROWID;

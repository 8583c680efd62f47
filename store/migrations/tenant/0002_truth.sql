-- What keeps facts true: judges and their decisions, the review list, what a memory says of time and things, retention.

-- A job may also be the judging of directly written memories or the embedding of a space by a new model.
CREATE TABLE job_new (
    id TEXT PRIMARY KEY,
    space_id INTEGER NOT NULL REFERENCES space (id),
    kind TEXT NOT NULL CHECK (kind IN ('document', 'conversation', 'judging', 'reembedding')),
    state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'partial', 'failed', 'cancelled')),
    document_id TEXT, revision INTEGER, session_id TEXT,
    reason TEXT, warning TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    finished_at INTEGER
);
INSERT INTO job_new SELECT id, space_id, kind, state, document_id, revision, session_id, reason, warning, created_at,
    updated_at, finished_at FROM job;
DROP TABLE job;
ALTER TABLE job_new RENAME TO job;
CREATE INDEX job_listing ON job (space_id, created_at, id);
CREATE INDEX job_open ON job (state) WHERE state IN ('queued', 'running');
CREATE INDEX job_document ON job (document_id) WHERE document_id IS NOT NULL;

ALTER TABLE space ADD COLUMN retention_days INTEGER;          -- memories are forgotten this long after they were recorded

-- Stated by the source; NULL when it says nothing of it.
ALTER TABLE candidate ADD COLUMN valid_from INTEGER;
ALTER TABLE candidate ADD COLUMN valid_to INTEGER;
ALTER TABLE candidate ADD COLUMN entities TEXT NOT NULL DEFAULT '[]';   -- JSON: [{"name", "type"}]
ALTER TABLE candidate ADD COLUMN relations TEXT NOT NULL DEFAULT '[]';  -- JSON: [{"from", "type", "to"}]
ALTER TABLE candidate ADD COLUMN node TEXT;                   -- that extracted it
ALTER TABLE candidate ADD COLUMN written_id TEXT;             -- a directly written memory that waits for its judges
ALTER TABLE candidate ADD COLUMN round INTEGER NOT NULL DEFAULT 0;      -- times its judges were asked

ALTER TABLE memory ADD COLUMN entities TEXT NOT NULL DEFAULT '[]';
ALTER TABLE memory ADD COLUMN relations TEXT NOT NULL DEFAULT '[]';
ALTER TABLE memory ADD COLUMN unjudged INTEGER NOT NULL DEFAULT 0;      -- 1: added although no judge could decide
ALTER TABLE memory ADD COLUMN inferred INTEGER NOT NULL DEFAULT 0;      -- 1: derived from others, not said by a source
ALTER TABLE memory ADD COLUMN historic INTEGER NOT NULL DEFAULT 0;      -- 1: older than what was known when it came
ALTER TABLE memory ADD COLUMN forget_after INTEGER;           -- forgotten by itself from then on
ALTER TABLE memory ADD COLUMN node TEXT;
CREATE INDEX memory_expiry ON memory (forget_after) WHERE forget_after IS NOT NULL AND forgotten_at IS NULL;

-- The answer of a judge, kept with all that it rested on. A label is what a person says the answer should have been.
CREATE TABLE decision (
    id TEXT PRIMARY KEY,                         -- dec_...
    space_id INTEGER NOT NULL REFERENCES space (id),
    judge TEXT NOT NULL,                         -- pair, kind or bucket
    candidate_seq INTEGER,                       -- what was judged
    memory_id TEXT,                              -- the same once it is a memory
    other_id TEXT,                               -- of a pair: the memory it was compared with
    inputs TEXT NOT NULL,                        -- JSON: the texts that the judge was shown
    probabilities TEXT NOT NULL,                 -- JSON: by option, adding up to 1; {} when no valid answer came
    verdict TEXT NOT NULL,                       -- an option, or undecided
    model TEXT NOT NULL,                         -- "rules" without an LLM
    prompt_version TEXT NOT NULL,
    node TEXT,
    milliseconds INTEGER,
    at INTEGER NOT NULL,
    label TEXT,
    labelled_kind TEXT, labelled_id TEXT,        -- by whom
    labelled_at INTEGER,
    relabelled TEXT                              -- the verdict a calibration has given it since; NULL: none
);
CREATE INDEX decision_candidate ON decision (candidate_seq) WHERE candidate_seq IS NOT NULL;
CREATE INDEX decision_memory ON decision (memory_id) WHERE memory_id IS NOT NULL;
CREATE INDEX decision_other ON decision (other_id) WHERE other_id IS NOT NULL;
CREATE INDEX decision_label ON decision (judge, model, prompt_version) WHERE label IS NOT NULL;

-- A candidate's nearest live memories as its judges were shown them, one row a memory and round.
CREATE TABLE judgement (
    candidate_seq INTEGER NOT NULL REFERENCES candidate (seq),
    round INTEGER NOT NULL,                      -- 1-based; a re-judgement is a further round
    memory_id TEXT NOT NULL REFERENCES memory (id),
    position INTEGER NOT NULL,                   -- 0: the nearest
    similarity REAL NOT NULL,
    mark TEXT NOT NULL,                          -- its believed windows then: another mark means it has changed since
    decision_id TEXT REFERENCES decision (id),   -- NULL while the judge is asked
    PRIMARY KEY (candidate_seq, round, memory_id)
) WITHOUT ROWID;
CREATE INDEX judgement_memory ON judgement (memory_id);
CREATE INDEX judgement_decision ON judgement (decision_id) WHERE decision_id IS NOT NULL;

-- What waits for a person. The candidate keeps its vector as long as it may still become a memory.
CREATE TABLE review (
    id TEXT PRIMARY KEY,                         -- con_...
    space_id INTEGER NOT NULL REFERENCES space (id),
    user_id TEXT, agent_id TEXT, session_id TEXT,  -- whose it is
    kind TEXT NOT NULL CHECK (kind IN ('contradiction', 'low_confidence', 'unjudged', 'inferred')),
    memory_id TEXT REFERENCES memory (id),       -- the incumbent of a contradiction; else the flagged memory, if it is one
    candidate_seq INTEGER REFERENCES candidate (seq),
    decision_id TEXT REFERENCES decision (id),
    support INTEGER NOT NULL DEFAULT 1,          -- sources of the candidate
    state TEXT NOT NULL CHECK (state IN ('open', 'resolved')),
    resolution TEXT,                             -- keep_incumbent, take_candidate, keep_both, edit, or moot
    actor_kind TEXT, actor_id TEXT,              -- who resolved it
    reason TEXT,
    opened_at INTEGER NOT NULL,
    resolved_at INTEGER,
    CHECK ((state = 'open') = (resolved_at IS NULL))
);
CREATE INDEX review_open ON review (space_id, opened_at, id) WHERE state = 'open';
CREATE INDEX review_memory ON review (memory_id) WHERE memory_id IS NOT NULL;
CREATE INDEX review_candidate ON review (candidate_seq) WHERE candidate_seq IS NOT NULL;

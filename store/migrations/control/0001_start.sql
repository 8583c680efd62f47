-- control.db: who there is and what may run. Times are microseconds since the epoch, UTC.

CREATE TABLE tenant (id TEXT PRIMARY KEY, name TEXT NOT NULL, created_at INTEGER NOT NULL);

CREATE TABLE api_key (
    id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL REFERENCES tenant (id),
    label TEXT NOT NULL,
    key_hash TEXT NOT NULL UNIQUE,               -- sha256 of a 256-bit random key
    actor_kind TEXT NOT NULL CHECK (actor_kind IN ('person', 'agent', 'service')),
    spaces TEXT,                                 -- JSON list of names; NULL: all
    user_id TEXT, agent_id TEXT,                 -- the key is bound to these
    read_only INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER
);

-- A beat's tick runs once, however many beats there are.
CREATE TABLE tick (name TEXT NOT NULL, slot INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (name, slot)) WITHOUT ROWID;

-- The writer's lease; the token only ever grows.
CREATE TABLE lease (name TEXT PRIMARY KEY, holder TEXT NOT NULL, token INTEGER NOT NULL, expires_at INTEGER NOT NULL);

-- Who may administer, who the people of a tenant are, and what was changed by whom.

ALTER TABLE tenant ADD COLUMN disabled_at INTEGER;      -- NULL: in use

ALTER TABLE api_key ADD COLUMN last_used_at INTEGER;    -- within a minute or so; NULL: never
ALTER TABLE api_key ADD COLUMN replaces TEXT REFERENCES api_key (id);  -- the key that was rotated into this one
-- A key is rotated once: two who rotate it at once would leave a key that nobody asked for.
CREATE UNIQUE INDEX api_key_replaces ON api_key (replaces) WHERE replaces IS NOT NULL;
CREATE INDEX api_key_of_tenant ON api_key (tenant_id, created_at, id);

CREATE TABLE admin_key (
    id TEXT PRIMARY KEY,
    key_hash TEXT NOT NULL UNIQUE,                      -- sha256 of a 256-bit random key
    created_at INTEGER NOT NULL,
    last_used_at INTEGER,
    revoked_at INTEGER
);

-- A person of a tenant, known by the subject of an issuer's tokens. One who was named by an e-mail address has no subject
-- until the first sign-in, and keeps that one: the address may be given to somebody else later.
CREATE TABLE member (
    id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL REFERENCES tenant (id),
    issuer TEXT NOT NULL,
    subject TEXT,
    email TEXT,                                         -- ASCII, lower case
    role TEXT NOT NULL CHECK (role IN ('owner', 'editor', 'reader')),
    created_at INTEGER NOT NULL,
    last_used_at INTEGER,
    CHECK (subject IS NOT NULL OR email IS NOT NULL)
);
CREATE UNIQUE INDEX member_subject ON member (issuer, subject, tenant_id) WHERE subject IS NOT NULL;
CREATE UNIQUE INDEX member_email ON member (issuer, email, tenant_id) WHERE email IS NOT NULL;
CREATE INDEX member_of_tenant ON member (tenant_id, created_at, id);

-- Only ever added to, in the transaction of the change.
CREATE TABLE admin_change (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    action TEXT NOT NULL,                               -- 'key.rotated' and the like
    tenant_id TEXT,                                     -- NULL: of no tenant
    target TEXT NOT NULL                                -- id of what was changed
);

-- Answers to repeated requests, without secrets.
CREATE TABLE idempotency (
    route TEXT NOT NULL, key TEXT NOT NULL, body_hash TEXT NOT NULL, status INTEGER NOT NULL, response TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (route, key)
) WITHOUT ROWID;

-- The key under which a tenant's erased things are remembered as hashes; beside the tenant's file, not in it.
CREATE TABLE erasure_key (tenant_id TEXT PRIMARY KEY REFERENCES tenant (id), key BLOB NOT NULL) WITHOUT ROWID;

-- How long memories are kept that were merged in from a space with another retention, and what a merge moves by.

ALTER TABLE space ADD COLUMN retention_set_at INTEGER;        -- when a person set it; NULL: never, or before this column
ALTER TABLE memory ADD COLUMN kept_until INTEGER;             -- until when the space it came from kept it, 4611686018427387904 for ever; NULL: as long as its space keeps
ALTER TABLE memory ADD COLUMN joined_at INTEGER;              -- when that merge was asked for; a retention that was set later counts instead
ALTER TABLE job ADD COLUMN kept_days INTEGER;                 -- how many days the space it was accepted in keeps what it finds, 0 for ever; NULL: as its space keeps
ALTER TABLE job ADD COLUMN joined_at INTEGER;                 -- as that of a memory
CREATE INDEX memory_kept ON memory (kept_until) WHERE kept_until IS NOT NULL AND forgotten_at IS NULL;
CREATE INDEX candidate_space ON candidate (space_id);
CREATE INDEX job_session ON job (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX merge_target ON merge (space_id);
CREATE INDEX review_space ON review (space_id);
CREATE INDEX document_deleted ON document (space_id) WHERE deleted_at IS NOT NULL;

-- A person corrects the kind of a memory: what it was believed to be before. NULL: as the memory has it.
ALTER TABLE belief ADD COLUMN kind TEXT;

-- What the retention of a space still has to look at; what was forgotten needs no further look.
CREATE INDEX memory_retention ON memory (space_id, recorded_at) WHERE forgotten_at IS NULL;

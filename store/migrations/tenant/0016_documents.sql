-- What Supermemory's clients say of a document and ask of it.

ALTER TABLE document ADD COLUMN task_type TEXT NOT NULL DEFAULT 'memory' CHECK (task_type IN ('memory', 'superrag'));  -- superrag: cut and searched, no facts are looked for
ALTER TABLE document ADD COLUMN entity_context TEXT;         -- what it is about, told to a model that extracts
ALTER TABLE document ADD COLUMN summary TEXT;                -- its opening sentences, read off the live revision

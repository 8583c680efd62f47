-- Which embedding model was configured last: a result that was asked for under another one is not taken for its own.
ALTER TABLE generation ADD COLUMN configured_at INTEGER;
CREATE INDEX vector_generation ON vector (generation_id);

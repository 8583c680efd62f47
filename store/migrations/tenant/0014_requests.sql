-- The request of a caller that made a job, or asked something of the writer: whoever goes on with it logs under its id.
ALTER TABLE job ADD COLUMN caused_by TEXT;
ALTER TABLE request ADD COLUMN caused_by TEXT;

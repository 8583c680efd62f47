-- Jobs take turns: what is ready is looked up by job.

DROP INDEX work_item_open;
CREATE INDEX work_item_open ON work_item (queue, state, job_id, id) WHERE state IN ('ready', 'leased');

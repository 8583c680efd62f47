-- How far each judge is to be trusted, fitted from labels alone. At most one fit of a judge is active.
CREATE TABLE calibration (
    id TEXT PRIMARY KEY,                         -- cal_...
    judge TEXT NOT NULL,
    model TEXT NOT NULL,
    prompt_version TEXT NOT NULL,
    fitted TEXT NOT NULL,                        -- JSON: thresholds and how sure each verdict is
    labels INTEGER NOT NULL,                     -- that it rests on
    state TEXT NOT NULL CHECK (state IN ('active', 'retired')),
    actor_kind TEXT NOT NULL, actor_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    retired_at INTEGER,
    CHECK ((state = 'active') = (retired_at IS NULL))
);
CREATE UNIQUE INDEX calibration_active ON calibration (judge, model, prompt_version) WHERE state = 'active';

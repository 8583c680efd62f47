-- How far each judge is to be trusted, fitted from labels alone. At most one fit of a judge is active.
CREATE TABLE calibration (
    id TEXT PRIMARY KEY,                         -- cal_...
    judge TEXT NOT NULL,
    model TEXT NOT NULL,
    prompt_version TEXT NOT NULL,
    fitted TEXT NOT NULL,                        -- JSON: temperature, thresholds, and what the labels say of each verdict
    labels INTEGER NOT NULL,                     -- that it rests on
    previous_id TEXT REFERENCES calibration (id),  -- active before it; NULL: none was
    state TEXT NOT NULL CHECK (state IN ('active', 'retired')),
    actor_kind TEXT NOT NULL, actor_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    retired_kind TEXT, retired_id TEXT,          -- who fitted the next one, or went back to the one before
    retired_at INTEGER,
    CHECK ((state = 'active') = (retired_at IS NULL))
);
CREATE UNIQUE INDEX calibration_active ON calibration (judge, model, prompt_version) WHERE state = 'active';

-- Under which fit a decision was made; NULL: under none. `verdict` stays the judge's own, `relabelled` is what counts.
ALTER TABLE decision ADD COLUMN calibration_id TEXT;
CREATE INDEX decision_calibration ON decision (calibration_id) WHERE calibration_id IS NOT NULL;
CREATE INDEX decision_listing ON decision (space_id, at, id);
CREATE INDEX decision_judge ON decision (judge, model, prompt_version, at);

-- What a fit has made of decisions that were made before it, so that going back restores them.
CREATE TABLE relabelling (
    calibration_id TEXT NOT NULL REFERENCES calibration (id),
    decision_id TEXT NOT NULL REFERENCES decision (id) ON DELETE CASCADE,
    before TEXT,                                 -- decision.relabelled then
    PRIMARY KEY (calibration_id, decision_id)
) WITHOUT ROWID;
CREATE INDEX relabelling_decision ON relabelling (decision_id);

-- What the judge's answer counts as now that a fit was applied to the past; the knowledge waits for a person.
ALTER TABLE review ADD COLUMN proposed TEXT;

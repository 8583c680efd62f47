-- The ledger only grows: no fault of the program can change an entry, leave a gap or write one twice. An erasure, which
-- takes an entry's words and its salt together, is the one exception; the hashes stay and the chain with them.
CREATE TRIGGER episode_follows BEFORE INSERT ON episode
WHEN new.seq <> (SELECT coalesce(max(seq) + 1, 0) FROM episode WHERE session_id = new.session_id) BEGIN
    SELECT RAISE (ABORT, 'an episode comes after the last one of its session, without a gap');
END;
CREATE TRIGGER episode_fixed BEFORE UPDATE ON episode
WHEN new.id IS NOT old.id OR new.session_id IS NOT old.session_id OR new.seq IS NOT old.seq OR new.kind IS NOT old.kind
    OR new.role IS NOT old.role OR new.recorded_at IS NOT old.recorded_at OR new.text_hash IS NOT old.text_hash
    OR new.chain_hash IS NOT old.chain_hash OR new.salt <> x'' OR new.content <> '' OR new.name IS NOT NULL
    OR new.metadata <> '{}' OR new.occurred_at IS NOT NULL OR new.zone IS NOT NULL BEGIN
    SELECT RAISE (ABORT, 'an episode never changes; only an erasure takes its words, with the salt');
END;
CREATE INDEX session_listing ON session (space_id, updated_at, id);

-- The terms of a row may be cut anew from its unchanged text, when the rule that cuts them has another version.
DROP TRIGGER search_row_text_fixed;
CREATE TRIGGER search_row_text_fixed BEFORE UPDATE OF shadow ON search_row WHEN new.tokenizer = old.tokenizer BEGIN
    SELECT RAISE (ABORT, 'the text of a search row never changes; add a new row');
END;
CREATE TRIGGER search_row_cut_anew BEFORE UPDATE OF shadow ON search_row WHEN new.tokenizer <> old.tokenizer BEGIN
    INSERT INTO search_text (search_text, rowid, shadow) VALUES ('delete', old.id, old.shadow);
END;
CREATE TRIGGER search_row_was_cut_anew AFTER UPDATE OF shadow ON search_row WHEN new.tokenizer <> old.tokenizer BEGIN
    INSERT INTO search_text (rowid, shadow) VALUES (new.id, new.shadow);
END;

-- What a row names: keys of memory.names, separated by spaces. NULL: not looked at yet.
ALTER TABLE search_row ADD COLUMN names TEXT;

-- What a revision's text was taken from: a file that was sent, or a page that was fetched. Erased with its document.

CREATE TABLE revision_source (
    document_id TEXT NOT NULL REFERENCES document (id),
    revision INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('file', 'url')),
    name TEXT,                                   -- the file's own name, without any path
    media_type TEXT,                             -- as it was declared; once it is read, as what it was read
    url TEXT,                                    -- as it was sent
    final_url TEXT,                              -- where the redirects ended
    bytes INTEGER NOT NULL DEFAULT 0,            -- length of the body
    title TEXT,                                  -- what the source calls itself
    extracted_by TEXT,                           -- the reader; NULL until the text is in the revision
    warning TEXT,                                -- what its text lacks, for a person
    body BLOB,                                   -- as it was sent; of a page NULL until it was fetched
    PRIMARY KEY (document_id, revision)
);

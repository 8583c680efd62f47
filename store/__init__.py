"""SQLite: the truth, and the resident search arrays; the only importer of sqlite3."""

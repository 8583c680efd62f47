"""Reading: from the bytes of a file or page to Markdown, one module a format."""

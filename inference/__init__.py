"""Model servers: the wire client and the embedded server."""

"""Fetching: pages of the web, at addresses that strangers name. Every module here is a trust boundary.

targets      what a URL names: scheme, host in its one plain form, port
resolving    a name to all of its addresses, each judged by `memory.networks`, within a deadline
pinned       a connection to the very address that was judged
exchange     one request and its answer, every byte counted
decoding     compressed bodies, unpacked no further than the limit
fetch        the whole: hop by hop, each judged as the first was
"""

"""Memlane's HTTP client and command line; it needs a running server and imports nothing of it."""

from memlane.errors import MemlaneError
from memlane.http import Client

__all__ = ["Client", "MemlaneError"]

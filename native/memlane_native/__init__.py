"""The native part of Memlane's search: where its library is. `store.native` in Memlane loads and calls it."""

from pathlib import Path

LIBRARY = Path(__file__).with_name("scan.so")

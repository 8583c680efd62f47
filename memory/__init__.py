"""The pure heart; see `memory/README.md` for its law."""

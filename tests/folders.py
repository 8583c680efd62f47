"""Folders that are difficult to ingest."""

from __future__ import annotations

from pathlib import Path


def difficult(root: Path, *, a: str, note: str) -> Path:
    """Make a folder with two texts and eight things that are none.

    Args:
        root: where; it does not exist yet.
        a: the text of `a.md`.
        note: that of a file whose name has a space and an emoji in it.
    """
    root.mkdir()
    (root / "a.md").write_text(a)
    (root / "with space 🎉.txt").write_text(note)
    (root / "link.md").symlink_to("a.md")
    (root / "parent").symlink_to("..")
    (root / "broken").symlink_to("nowhere")
    (root / "outside").symlink_to("/etc/hostname")
    for name in (".git", "node_modules"):
        (root / name).mkdir()
        (root / name / "inner.md").write_text("inner")
    (root / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    (root / "empty.md").touch()
    return root

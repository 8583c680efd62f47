"""What a tenant and a space want of what comes in: read where it is cut and where facts are found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from memory.chunking import CHUNK_CHARS
from memory.guidance import Guidance
from store import documents, tag_settings
from store.connection import Reader


def of_space(db: Reader, space_id: int) -> Guidance:
    """Return what is wanted of the material of a space."""
    tenant, tag = tag_settings.of_tenant(db), tag_settings.of_space(db, space_id)
    return Guidance(
        entity_context=tag.entity_context,
        filter_prompt=tenant.get("filter_prompt") if tenant.get("should_llm_filter") else None,
        include=_phrases(tenant, "include_items"),
        exclude=_phrases(tenant, "exclude_items"),
    )


def of_material(db: Reader, space_id: int, document_id: str | None) -> Guidance:
    """Return what is wanted of a document of a space, whose own context counts before the space's.

    Args:
        db: the store.
        space_id: its space.
        document_id: None: it is no document.
    """
    wanted = of_space(db, space_id)
    own = documents.by_id(db, document_id).entity_context if document_id is not None else None
    return replace(wanted, entity_context=own) if own is not None else wanted


def _phrases(settings: Mapping[str, Any], name: str) -> tuple[str, ...]:
    return tuple(settings.get(name) or ())


def chunk_size(db: Reader) -> int:
    """Return how many characters a chunk of this tenant aims at."""
    return int(tag_settings.of_tenant(db).get("chunk_size") or CHUNK_CHARS)


def teaches(db: Reader, space_id: int, filepath: str | None) -> bool:
    """Tell whether facts are found in a document, or it is only cut and searched.

    Args:
        db: the store.
        space_id: its space.
        filepath: of the document; one without is not held to the paths.
    """
    paths = tag_settings.of_space(db, space_id).memory_paths
    if paths is None or filepath is None:
        return True
    return any(is_below(filepath, path) for path in paths)


def is_below(filepath: str, path: str) -> bool:
    """Tell whether a file is a path itself, or lies below it.

    Args:
        filepath: of the file, with or without a slash in front.
        path: of a folder or a file; steps are compared whole.
    """
    file, folder = (PurePosixPath("/", one.lstrip("/")) for one in (filepath, path))
    return file.is_relative_to(folder)

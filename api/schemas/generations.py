"""Embedding generations."""

from __future__ import annotations

from api.schemas.fields import Fields


class ListGenerations(Fields):
    """`GET /v1/generations`."""


class StartGeneration(Fields):
    """`POST /v1/generations`."""


class NamedGeneration(Fields):
    """`POST /v1/generations/{id}/switch`, `/rollback` and `DELETE /v1/generations/{id}`."""

"""The contract: neither the document nor the page takes any field."""

from __future__ import annotations

from api.schemas.fields import Fields


class ReadContract(Fields):
    """`GET /v1/openapi.json` and `GET /v1/docs`."""

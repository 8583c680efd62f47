"""Which fields of a body were sent as null, where null takes away what is set and absence leaves it."""

from __future__ import annotations

from api.body import json_object
from api.schemas.fields import Fields


def nulled(schema: type[Fields]) -> frozenset[str]:
    """Return the names, as the schema's attributes, of the fields that the request's body has as null.

    Args:
        schema: the fields of the request, which was validated by it.
    """
    by_alias = {info.alias or name: name for name, info in schema.model_fields.items()}
    sent = (schema.canonical(name) for name, value in json_object().items() if value is None)
    return frozenset(by_alias[name] for name in sent if name is not None)

"""The settings of a tenant: what is kept of what comes in, how it is cut, and the buckets of every profile.

A setting acts or is refused; none is kept without an effect.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from memory.errors import InvalidInput, StateConflict
from memory.records import Actor, Scope
from services import bucket_sets, container_tags
from services.bucketing import SHARED
from services.host import Host
from services.merging import require_not_agent
from services.persons import require_person
from store import merges, spaces, tag_settings
from store.connection import Reader
from store.deletions import Deletion

NO_MODEL = "No language model is configured here, so nothing would filter by it."
NO_MODEL_HINT = "Set `llm_url` and `llm_model` in its settings; `excludeItems` and `includeItems` need none."


def get(scope: Scope, host: Host) -> dict[str, Any]:
    """Return the settings of a tenant that were set, by name."""
    with host.store.read(scope.tenant) as db:
        return tag_settings.of_tenant(db)


def update(scope: Scope, host: Host, actor: Actor, values: Mapping[str, Any]) -> dict[str, Any]:
    """Change settings of a tenant.

    Args:
        scope: whose tenant.
        host: the adapters.
        actor: who sets them; not an agent.
        values: `should_llm_filter`, `filter_prompt`, `include_items`, `exclude_items`, `chunk_size` and
            `profile_buckets` (description by key); None takes one away.

    Returns:
        All settings as they are then.

    Raises:
        Forbidden: an agent asks.
        InvalidInput: a setting would have no effect.
        Pending: the buckets are kept and follow.
    """
    require_not_agent(actor, "change the settings")
    with host.store.write(scope.tenant) as tx:
        wanted = {**tag_settings.of_tenant(tx), **values}
        _require_effect(host, wanted, values)
        tag_settings.set_of_tenant(tx, values, actor=actor, at=host.clock())
    if SHARED in values:
        bucket_sets.share(scope, host, actor, values[SHARED] or {})
    return get(scope, host)


def _require_effect(host: Host, wanted: Mapping[str, Any], sent: Mapping[str, Any]) -> None:
    """Refuse what would be kept without an effect."""
    if sent.get("should_llm_filter") and not host.has_llm:
        raise InvalidInput(NO_MODEL, field="shouldLLMFilter", hint=NO_MODEL_HINT)
    if wanted.get("filter_prompt") is not None and not wanted.get("should_llm_filter"):
        field = "filterPrompt" if sent.get("filter_prompt") is not None else "shouldLLMFilter"
        message = "`filterPrompt` acts only while `shouldLLMFilter` is true."
        raise InvalidInput(message, field=field, hint="Send both, or `filterPrompt: null` to switch it off.")


def warning(host: Host, settings: Mapping[str, Any]) -> str | None:
    """Say which setting has no effect now, because the language model has gone; None when every one acts."""
    return f"`shouldLLMFilter`: {NO_MODEL}" if settings.get("should_llm_filter") and not host.has_llm else None


def without_effect(db: Reader, *, has_llm: bool) -> list[str]:
    """Say which settings of a tenant's file have no effect, because the language model that they are for has gone.

    Args:
        db: the file.
        has_llm: whether a language model is configured.
    """
    if has_llm:
        return []
    filtered = tag_settings.of_tenant(db).get("should_llm_filter")
    described = tag_settings.count_described(db)
    said = [f"The setting `shouldLLMFilter` has no effect: {NO_MODEL}"] if filtered else []
    return said + ([f"The `entityContext` of {described} spaces has no effect: {NO_MODEL}"] if described else [])


@dataclass(frozen=True, slots=True, kw_only=True)
class Reset:
    """What a reset has put away."""

    deletions: tuple[Deletion, ...]
    default: Deletion | None  # that of the space `default`, when it was there


def reset(scope: Scope, host: Host, actor: Actor, *, confirmation: str, default: str) -> Reset:
    """Put every space of a tenant away and take its settings back; each space can be restored.

    Args:
        scope: whose; every space of the tenant.
        host: the adapters.
        actor: who asks; a person.
        confirmation: the tenant's name, spelt out.
        default: the space that requests mean which name none.

    Raises:
        PersonOnly: it is not a person who asks.
        InvalidInput: the name is not confirmed.
        StateConflict: a merge goes on.
    """
    require_person(actor)
    if confirmation != scope.tenant:
        raise InvalidInput("Send the tenant's name as `confirmation` to put away all it has.", field="confirmation")
    with host.store.write(scope.tenant) as tx:
        there = spaces.names(tx)
        busy = merges.under_way(tx, list(spaces.find(replace(scope, spaces=there), tx).values()))
        if busy is not None:
            raise StateConflict("A merge goes on; wait until it has ended.", id=busy)
        gone = tuple(
            container_tags.put_away(replace(scope, spaces=(name,)), host, tx, actor, reason="the tenant was reset")
            for name in there
        )
        tag_settings.reset_tenant(tx)
    bucket_sets.share(scope, host, actor, {})
    return Reset(deletions=gone, default=next((one for one in gone if one.name == default), None))

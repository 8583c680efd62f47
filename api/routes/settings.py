"""The settings of a tenant: what is kept of what comes in, how it is cut, and the buckets of every profile."""

from __future__ import annotations

from flask import Blueprint

from api import render_tags, scope
from api.answers import settings as answers
from api.answers.base import Pending
from api.body import body, body_if_any, query
from api.context import actor, host, limits
from api.nulls import nulled
from api.operations import operation
from api.reply import Reply
from api.schemas.scope import InScope
from api.schemas.settings import FindSettings, ResetSettings, SuggestBuckets, UpdateSettings
from services import bucket_sets, tenant_settings

routes = Blueprint("settings", __name__)


@routes.get("/v3/settings")
@operation(query=FindSettings, answers={200: answers.Settings})
def get_settings() -> Reply:
    """Return the settings of the tenant."""
    query(FindSettings)
    found = tenant_settings.get(scope.to_find(InScope()), host())
    return render_tags.settings(found, tenant_settings.warning(host(), found))


@routes.patch("/v3/settings")
@operation(body=UpdateSettings, answers={200: answers.UpdatedSettings, 202: Pending}, example={"chunkSize": 800})
def update_settings() -> Reply:
    """Change settings of the tenant; they act on what comes in from then on.

    Null takes a setting away, absence leaves it. `shouldLLMFilter` and `filterPrompt` need a language model and are
    refused without one. `includeItems` and `excludeItems` are phrases that facts are held to by rule, with or without
    a model: a phrase is met by a fact that has every word of it. What would have no effect here is refused.
    """
    sent, nulls = body(UpdateSettings), nulled(UpdateSettings)
    whose = scope.to_change(InScope())
    scope.require_unlimited("change the settings of the tenant")
    with limits().writing():
        found = tenant_settings.update(whose, host(), actor(), sent.values(nulls))
    shown = render_tags.settings(found, tenant_settings.warning(host(), found))
    return {"orgId": whose.tenant, "orgSlug": whose.tenant, "updated": shown}


@routes.post("/v3/settings/reset")
@operation(body=ResetSettings, answers={200: answers.Reset, 202: Pending}, example={"confirmation": "default"})
def reset_settings() -> Reply:
    """Put every container tag away and take the settings back; each tag can be restored.

    `confirmation` is the name of the tenant (`orgId` of `PATCH /v3/settings`). Only a person can.
    """
    sent = body(ResetSettings)
    whose = scope.to_change(InScope())
    scope.require_unlimited("reset the tenant")
    with limits().writing():
        found = tenant_settings.reset(
            whose, host(), actor(), confirmation=sent.confirmation, default=scope.DEFAULT_SPACE
        )
    return render_tags.reset(found)


@routes.post("/v3/settings/suggest-buckets")
@operation(body=SuggestBuckets, body_optional=True, answers={200: answers.Suggestions}, changes=False, errors=(502,))
def suggest_buckets() -> Reply:
    """Return parts that profiles could have, by how many of the newest memories would be in each."""
    whose = scope.to_find(body_if_any(SuggestBuckets))
    with limits().lasting():
        return render_tags.suggestions(bucket_sets.suggest(whose, host()))

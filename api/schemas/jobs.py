"""Jobs, spaces and statistics: what is asked by query string alone."""

from __future__ import annotations

from typing import Literal

from api.schemas.paging import CamelPaged, Paged
from api.schemas.scope import CamelInScope, InScope

STATES = Literal["queued", "running", "done", "partial", "failed", "cancelled"]


class ListJobs(InScope, Paged):
    """`GET /v1/jobs`."""

    state: STATES | None = None


class CamelListJobs(CamelInScope, CamelPaged):
    """`GET /v3/jobs`."""

    state: STATES | None = None


class FindJob(InScope):
    """`GET /v1/jobs/{id}`, its retry and its cancel."""


class Overview(InScope):
    """`GET /v1/stats` and `GET /v1/spaces`."""

"""Jobs: what was accepted and is owed."""

from __future__ import annotations

from flask import Blueprint

from api import render, scope
from api.body import body_if_any, query
from api.context import actor, host, limits
from api.reply import Reply
from api.schemas.jobs import CamelListJobs, FindJob, ListJobs
from services import jobs

routes = Blueprint("jobs", __name__)


@routes.get("/v3/jobs")
def list_jobs_camel() -> Reply:
    """Return a page of jobs, in camelCase."""
    sent = query(CamelListJobs)
    page = jobs.listing(scope.to_find(sent), host(), **sent.paging(), state=sent.state)
    return render.listed(page, "jobs", lambda job: render.camel(render.job(job)), number=sent.page)


@routes.get("/v1/jobs")
def list_jobs() -> Reply:
    """Return a page of jobs."""
    sent = query(ListJobs)
    page = jobs.listing(scope.to_find(sent), host(), **sent.paging(), state=sent.state)
    return {"jobs": list(map(render.job, page.rows)), "pagination": render.pagination(page, number=sent.page)}


@routes.get("/v1/jobs/<job_id>")
def get_job(job_id: str) -> Reply:
    """Return one job."""
    return render.job(jobs.get(scope.to_find(query(FindJob)), host(), job_id))


@routes.post("/v1/jobs/<job_id>/retry")
def retry_job(job_id: str) -> Reply:
    """Give the failed items of a job new attempts."""
    sent = body_if_any(FindJob)
    with limits().writing():
        return render.job(jobs.retry(scope.to_change(sent), host(), actor(), job_id)), 202


@routes.post("/v1/jobs/<job_id>/cancel")
def cancel_job(job_id: str) -> Reply:
    """Cancel a job; what is committed is kept."""
    sent = body_if_any(FindJob)
    with limits().writing():
        return render.job(jobs.cancel(scope.to_change(sent), host(), actor(), job_id))

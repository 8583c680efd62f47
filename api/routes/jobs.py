"""Jobs: what was accepted and is owed."""

from __future__ import annotations

from flask import Blueprint, Response

from api import events, render, scope
from api.answers import jobs as answers
from api.answers.base import Media
from api.body import body_if_any, query
from api.context import actor, host, limits
from api.operations import operation
from api.reply import Reply
from api.schemas.jobs import CamelListJobs, FindJob, ListJobs
from services import jobs

routes = Blueprint("jobs", __name__)
EVENTS = Media(type=events.TYPE, description="What becomes of the job, as server-sent events.")


@routes.get("/v3/jobs")
@operation(query=CamelListJobs, answers={200: answers.CamelJobs})
def list_jobs_camel() -> Reply:
    """Return a page of jobs, in camelCase."""
    sent = query(CamelListJobs)
    page = jobs.listing(scope.to_find(sent), host(), **sent.paging(), state=sent.state)
    return render.listed(page, "jobs", lambda job: render.camel(render.job(job)), number=sent.page)


@routes.get("/v1/jobs")
@operation(query=ListJobs, answers={200: answers.Jobs})
def list_jobs() -> Reply:
    """Return a page of jobs."""
    sent = query(ListJobs)
    page = jobs.listing(scope.to_find(sent), host(), **sent.paging(), state=sent.state)
    return {"jobs": list(map(render.job, page.rows)), "pagination": render.pagination(page, number=sent.page)}


@routes.get("/v1/jobs/<job_id>")
@operation(query=FindJob, answers={200: answers.Job})
def get_job(job_id: str) -> Reply:
    """Return one job."""
    return render.job(jobs.get(scope.to_find(query(FindJob)), host(), job_id))


@routes.get("/v1/jobs/<job_id>/events")
@operation(query=FindJob, answers={200: EVENTS, 204: None})
def watch_job(job_id: str) -> Response:
    """Return what becomes of a job, as server-sent events.

    Each `job` event has the fields of the job, at first as it is and then whenever it changes; `end` is the last one,
    and `error` has the one error shape. A comment every 15 seconds says that the stream is alive. It ends with the job,
    or after `MEMLANE_STREAM_SECONDS`. An event is the whole state, so with `Last-Event-ID` nothing is sent twice and
    nothing is missed; 204 says that the caller knows the end. There are `MEMLANE_STREAMS` at a time; one more is 503.
    """
    return events.job_events(scope.to_find(query(FindJob)), job_id)


@routes.post("/v1/jobs/<job_id>/retry")
@operation(body=FindJob, body_optional=True, answers={202: answers.Job})
def retry_job(job_id: str) -> Reply:
    """Give the failed items of a job new attempts; 409 when it has none."""
    sent = body_if_any(FindJob)
    with limits().writing():
        return render.job(jobs.retry(scope.to_change(sent), host(), actor(), job_id)), 202


@routes.post("/v1/jobs/<job_id>/cancel")
@operation(body=FindJob, body_optional=True, answers={200: answers.Job})
def cancel_job(job_id: str) -> Reply:
    """Cancel a job; what is committed is kept."""
    sent = body_if_any(FindJob)
    with limits().writing():
        return render.job(jobs.cancel(scope.to_change(sent), host(), actor(), job_id))

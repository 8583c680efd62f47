"""Jobs: how far the work on what was handed in is."""

from __future__ import annotations

from urllib.parse import quote

from memlane.connected import Connected, Json, body
from memlane.transport import Repeat


class Jobs(Connected):
    """The part of the client that looks after jobs."""

    def jobs(
        self, *, space: str | None = None, state: str | None = None, limit: int = 50, cursor: str | None = None
    ) -> Json:
        """Return one page of jobs, newest first: `{"jobs": [...], ...}`."""
        return self._get("/v1/jobs", container_tag=space, state=state, limit=limit, cursor=cursor)

    def job(self, job_id: str, *, space: str | None = None) -> Json:
        """Return one job."""
        return self._get(f"/v1/jobs/{quote(job_id, safe='')}", container_tag=space)

    def retry_job(self, job_id: str, *, space: str | None = None) -> Json:
        """Send the failed items of a job again."""
        return self._job_action(job_id, "retry", space)

    def cancel_job(self, job_id: str, *, space: str | None = None) -> Json:
        """Stop a job; what it has committed is kept."""
        return self._job_action(job_id, "cancel", space)

    def _job_action(self, job_id: str, action: str, space: str | None) -> Json:
        path = f"/v1/jobs/{quote(job_id, safe='')}/{action}"
        return self._post(path, body(container_tag=space), repeat=Repeat.UNSENT)

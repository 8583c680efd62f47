"""Who waits for a job is answered, whatever becomes of the job."""

from api.waits import settled, waited
from memory.records import Accepted, Scope

HOME = Scope(tenant="default", spaces=("default",))


def test_a_job_that_is_erased_while_somebody_waits_was_accepted_all_the_same(app):
    gone = Accepted(id="doc_1", status="queued", job_id="job_gone")

    with app.test_request_context():
        answer = settled(HOME, gone, wait=True)

    assert answer == ({"id": "doc_1", "status": "queued", "jobId": "job_gone"}, 202)


def test_nobody_waits_for_nothing(app):
    with app.test_request_context():
        assert waited(HOME, None, wait=True) is None

"""Documents that are pages: fetched, read, fetched again; over the real store and a server of this machine."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from memory.errors import UrlRefused
from memory.records import NewSource
from memory.settings import Settings
from services import documents, pages
from services.dispatching import room
from services.source_slots import SourceSlots
from tests.data.pages import NOISE
from tests.pipeline import HOME, PERSON, Pipeline
from tests.site import ADDRESS, Site


@pytest.fixture
def site() -> Iterator[Site]:
    one = Site()
    yield one
    one.close()


@pytest.fixture
def pipeline(tmp_path):
    one = Pipeline(tmp_path)
    one.host = replace(one.host, settings=replace(one.host.settings, allow_private_urls=ADDRESS))
    yield one
    one.host.store.close()


def add(pipeline, url, **fields):
    return pipeline.add("", source=NewSource(kind="url", url=url), type="webpage", **fields)


def text_of(pipeline, accepted):
    return documents.get(HOME, pipeline.host, accepted.id, content=True)


def limit(kilograms):
    return f"<title>Crane</title><h1>Crane 4</h1><p>The limit of crane 4 is {kilograms} kg.</p>"


def test_a_page_becomes_a_document_that_says_where_it_is_from(pipeline, site):
    site.pages["/old"] = (301, {"Location": "/new"}, b"")
    site.write("/new", NOISE)

    accepted = add(pipeline, f"{site.url}/old")

    found = text_of(pipeline, accepted)
    assert (found.status, found.title, found.type, found.url) == ("done", "Pump guide", "webpage", f"{site.url}/new")
    (chunk,) = documents.chunks(HOME, pipeline.host, accepted.id)
    assert "prime the pump for 30 seconds" in chunk.body
    assert "line A\n    line B" in chunk.body
    assert not any(
        word in found.content for word in ("SCRIPT-SECRET-1", "CSS-WORD", "HIDDEN-77", "NAVWORD", "COMMENT-8")
    )
    assert pipeline.rows("SELECT media_type, url, length(body) FROM revision_source") == [
        ("text/html", f"{site.url}/old", len(NOISE.encode()))
    ]


def test_a_plain_text_is_read_as_one(pipeline, site):
    site.write("/notes.txt", "# Crane 4\n\nThe limit is 40 kg.\n", media_type="text/plain; charset=utf-8")

    assert text_of(pipeline, add(pipeline, f"{site.url}/notes.txt")).content.startswith(
        "# Crane 4\n\nThe limit is 40 kg."
    )


def test_a_page_that_is_sent_again_is_fetched_again_and_its_old_edition_serves_until_then(pipeline, site):
    site.write("/crane", limit(40))
    first = add(pipeline, f"{site.url}/crane", custom_id="crane")
    site.write("/crane", limit(55))
    pipeline.held = lambda message: message.task == "embed.texts"

    second = add(pipeline, f"{site.url}/crane", custom_id="crane")

    assert "40 kg" in text_of(pipeline, first).content
    pipeline.held = lambda message: False
    pipeline.settle()
    assert second.id == first.id
    assert "55 kg" in text_of(pipeline, first).content
    assert site.asked == ["/crane", "/crane"]


def test_a_page_that_is_still_waiting_is_not_fetched_twice(pipeline, site):
    site.write("/crane", limit(40))
    pipeline.held = lambda message: message.task == "document.fetch"

    first = add(pipeline, f"{site.url}/crane", custom_id="crane")
    again = add(pipeline, f"{site.url}/crane", custom_id="crane")

    assert (again.id, again.job_id, again.created) == (first.id, first.job_id, False)
    pipeline.held = lambda message: False
    pipeline.settle()
    assert site.asked == ["/crane"]


def test_an_unchanged_page_keeps_its_vectors(pipeline, site):
    site.write("/crane", limit(40))
    first = add(pipeline, f"{site.url}/crane", custom_id="crane")
    rows = pipeline.rows("SELECT row_id FROM chunk WHERE revision = 1")

    add(pipeline, f"{site.url}/crane", custom_id="crane")

    assert pipeline.rows("SELECT row_id FROM chunk WHERE revision = 2") == rows
    assert text_of(pipeline, first).latest_revision == 2


def test_a_page_that_is_gone_leaves_the_edition_there_was(pipeline, site):
    site.write("/crane", limit(40))
    first = add(pipeline, f"{site.url}/crane", custom_id="crane")
    del site.pages["/crane"]

    second = add(pipeline, f"{site.url}/crane", custom_id="crane")

    job = pipeline.job(second)
    assert (job.state, job.items_failed) == ("failed", 1)
    assert "answers 404" in job.reason
    assert "40 kg" in text_of(pipeline, first).content
    assert site.asked == ["/crane"] * 2, "what is gone is not asked for again and again"


@pytest.mark.parametrize(("answer", "times"), [((503, {}, b""), 3), ((302, {"Location": "http://10.0.0.1/"}, b""), 1)])
def test_only_what_may_pass_is_tried_again(pipeline, site, answer, times):
    site.pages["/crane"] = answer

    accepted = add(pipeline, f"{site.url}/crane")

    assert pipeline.job(accepted).state == "failed"
    assert site.asked == ["/crane"] * times


def test_a_refused_address_is_the_reason_of_the_job(pipeline):
    pipeline.resolve = lambda host: ["93.184.216.34", "169.254.169.254"]

    accepted = add(pipeline, "http://page.test/")

    job = pipeline.job(accepted)
    assert job.state == "failed"
    assert job.reason == (
        "This URL is not allowed: page.test leads to an address that is link-local, where clouds keep their metadata."
    )


def test_with_every_slot_taken_a_page_waits_and_nothing_counts_against_it(pipeline, site):
    site.write("/crane", limit(40))
    pipeline.slots = SourceSlots(0)
    accepted = add(pipeline, f"{site.url}/crane")

    assert pipeline.rows("SELECT state, failures, reason FROM work_item") == [
        ("ready", 0, "other pages and files are being read")
    ]
    assert pipeline.job(accepted).warning == "other pages and files are being read"
    pipeline.slots = SourceSlots(1)
    pipeline.clock.advance(2.0)
    pages.ledger.dispatch(pipeline.host, "default")
    pipeline.settle()
    assert pipeline.job(accepted).state == "done"


def test_pages_that_wait_leave_the_host_queue_its_room(pipeline, site):
    pipeline.held = lambda message: message.task == "document.fetch"
    for number in range(50):
        add(pipeline, f"{site.url}/{number}", settle=False)

    slots = pipeline.host.settings.source_slots
    assert sum(message.task == "document.fetch" for message in pipeline.queue.waiting) == slots
    assert pipeline.job(pipeline.add("The limit of crane 5 is 70 kg.")).state == "done"
    assert room(pipeline.host, "other")["host"] == 4


def test_a_job_that_was_cancelled_meanwhile_keeps_nothing_of_the_page(pipeline, site):
    site.write("/crane", limit(40))
    held = []

    def cancelling(host):
        held.append(documents.delete(HOME, pipeline.host, PERSON, accepted.id))
        return ["127.0.0.2"]

    pipeline.resolve = cancelling
    accepted = add(pipeline, site.url.replace("127.0.0.2", "crane.lan") + "/crane", settle=False)
    pipeline.settle()

    assert held == [None]
    assert pipeline.rows("SELECT body FROM revision_source") == [(None,)]


def test_a_url_that_needs_nobody_to_be_refused_is_refused_at_the_door():
    with pytest.raises(UrlRefused):
        pages.page("http://192.168.1.1/", Settings())

    assert (
        pages.page(" http://192.168.1.1:3000/x#y ", Settings(allow_private_urls="192.168.1.0/24")).url
        == "http://192.168.1.1:3000/x"
    )

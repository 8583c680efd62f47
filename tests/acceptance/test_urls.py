"""Pages by their URLs, through a whole stack on an internet of the test's own (`tests/internet.py`).

The resolver is the system's, asking a name server that the test writes; every address but the public ones is a canary.
"""

import statistics
import time
from functools import partial

import pytest

from ops.launched import wait_until
from tests.data.pages import CYRILLIC, MEASURES, NOISE
from tests.internet import Internet

PUBLIC = "93.184.216.34"
FETCH_SECONDS = 3
MB = 1024 * 1024


@pytest.fixture(scope="module")
def internet():
    one = Internet()
    one("up", MEMLANE_FETCH_SECONDS=str(FETCH_SECONDS))
    yield one
    one("down")
    one.close()


@pytest.fixture
def web(internet):
    internet("serve", pages={})
    internet("resolve", names={"page.test": [[PUBLIC]], "other.test": [["151.101.1.6"]]})
    return internet


def add(web, url, space, **fields):
    answer = web("post", path="/v3/documents", body={"content": url, "containerTag": space, **fields})
    assert answer["http"] == 202, answer
    return answer


def ended(web, url, space, **fields):
    sent = add(web, url, space, **fields)
    return web("job", id=sent["jobId"]), sent["id"]


def document(web, id):
    return web("get", path=f"/v3/documents/{id}", query={})


def says_failed(web, id):
    return document(web, id)["status"] == "failed"


def chunks(web, id):
    return "\n".join(one["content"] for one in web("get", path=f"/v3/documents/{id}/chunks", query={})["chunks"])


def found(web, q, space):
    results = web("post", path="/v4/search", body={"q": q, "containerTag": space, "searchMode": "documents"})["results"]
    return "\n".join(one["chunk"] for one in results)


def page(body, content_type="text/html", **more):
    body = body.decode("latin-1") if isinstance(body, bytes) else body.encode().decode("latin-1")
    return {"body": body, "headers": {"Content-Type": content_type}, **more}


def test_an_article_is_found_and_its_noise_is_not(web, space):
    web("serve", pages={"/pump": page(NOISE)})

    job, id = ended(web, "https://page.test/pump", space)

    assert job["state"] == "done", job
    text = chunks(web, id)
    assert "ARTICLE-9931: prime the pump for 30 seconds." in text
    assert "line A\n    line B" in text
    assert "AT&T <tag> café" in text
    assert "one\n\ntwo" in text
    assert text.count("NAVWORD") <= 1
    for noise in (
        "SCRIPT-SECRET-1",
        "WRITTEN",
        "CSS-WORD",
        "HIDDEN-77",
        "NOSCRIPT-5",
        "TEMPLATE-6",
        "COMMENT-8",
        "SVGTEXT-3",
    ):
        assert noise not in text
    assert "30 seconds" in found(web, "how long to prime the pump", space)
    shown = document(web, id)
    assert (shown["title"], shown["type"], shown["url"]) == ("Pump guide", "webpage", "https://page.test/pump")


@pytest.mark.parametrize(
    ("body", "header", "says"),
    [
        (CYRILLIC, "text/html", "Складской номер 58"),
        (CYRILLIC, "text/html; charset=ISO-8859-1", "Складской номер 58"),
        (MEASURES, "text/html; charset=ISO-8859-1", "Größe 12 µm – ©"),
        (MEASURES, "text/html", "Größe 12 µm – ©"),
        (MEASURES, "", "Größe 12 µm – ©"),
    ],
)
def test_a_page_is_read_in_the_charset_it_is_in(web, space, body, header, says):
    web("serve", pages={"/page": page(body, header)})

    job, id = ended(web, "http://page.test/page", space)

    assert job["state"] == "done", job
    text = chunks(web, id)
    assert says in text
    assert "Ã" not in text
    assert "Â" not in text


def test_editions_of_a_page_follow_one_another_and_a_failed_one_loses_nothing(web, space):
    def edition(kilograms):
        web(
            "serve", pages={"/hb": page(f"<h1>Handbook</h1><p>The limit of the crane at gate 7 is {kilograms} kg.</p>")}
        )
        return ended(web, "http://page.test/hb", space, customId="hb")

    (_, id), (_, again) = edition(40), edition(55)
    assert again == id
    assert "55 kg" in found(web, "limit of the crane", space)
    assert "40 kg" not in found(web, "limit of the crane", space)

    web("serve", pages={})
    failed, _ = ended(web, "http://page.test/hb", space, customId="hb")

    assert (failed["state"], "answers 404" in failed["reason"]) == ("failed", True)
    assert "55 kg" in found(web, "limit of the crane", space)
    assert document(web, id)["liveRevision"] == 2


@pytest.mark.parametrize("private", ["127.0.0.1", "169.254.169.254", "172.31.0.1", "fd00:ec2::254"])
def test_a_rebinding_name_reaches_nothing_inside(web, space, private):
    web("serve", pages={"/": page("<p>secret of the inside</p>")})
    for answers in ([[private]], [[PUBLIC, private]], [[private, PUBLIC]]):
        web("resolve", names={"rebind.test": answers})

        job, id = ended(web, "http://rebind.test/", space)

        assert job["state"] == "failed"
        assert job["reason"].startswith("This URL is not allowed")
        assert web("contacts") == []
        # The writer says it of the document when it comes to it.
        wait_until(partial(says_failed, web, id), seconds=20, what="the document says it too")

    web("resolve", names={"rebind.test": [[PUBLIC], [private]]})
    job, _ = ended(web, "http://rebind.test/", space)

    assert job["state"] == "done"
    assert {one["address"] for one in web("contacts")} == {PUBLIC}


@pytest.mark.parametrize(
    "location", ["http://127.0.0.1:6379/", "//169.254.169.254/", "file:///etc/passwd", "http://inside.test/"]
)
def test_a_redirect_leads_nowhere_inside(web, space, location):
    web("serve", pages={"/from": {"status": "302 Found", "headers": {"Location": location}}})
    web("resolve", names={"page.test": [[PUBLIC]], "inside.test": [["10.0.0.1"]]})

    job, _ = ended(web, "http://page.test/from", space)

    assert (job["state"], job["items_failed"]) == ("failed", 1)
    assert "not allowed" in job["reason"]
    assert {one["address"] for one in web("contacts")} == {PUBLIC}


def test_where_the_last_redirect_led_is_kept_as_the_source(web, space):
    web(
        "serve",
        pages={
            "/from": {"status": "308 Moved", "headers": {"Location": "https://other.test/to"}},
            "/to": page("<p>Here.</p>"),
        },
    )

    _, id = ended(web, "http://page.test/from", space)

    assert document(web, id)["url"] == "https://other.test/to"


def test_a_page_may_have_five_megabytes_and_no_byte_more(web, space):
    article = "<h1>Crane</h1><p>The limit of crane 9 is 90 kg.</p><script>"
    web(
        "serve",
        pages={
            "/full": page(article + "x" * (5 * MB - len(article))),
            "/over": page(article + "x" * (5 * MB - len(article) + 1)),
        },
    )

    full, id = ended(web, "http://page.test/full", space)
    over, _ = ended(web, "http://page.test/over", space)

    assert full["state"] == "done", full
    assert "90 kg" in chunks(web, id)
    assert (over["state"], "too large" in over["reason"]) == ("failed", True)


def test_fifty_slow_and_endless_pages_hold_up_nothing_else(web, space):
    """An ingest and a search take no longer while fifty pages drip, and the worker's memory stays as it was."""

    def ingest(number):
        began = time.monotonic()
        body = {"content": f"Crane {number} lifts {number} tonnes.", "containerTag": space}
        job = web("job", id=web("post", path="/v3/documents", body=body)["jobId"])
        assert job["state"] == "done", job
        return time.monotonic() - began

    def search(number):
        body = {"q": f"what does crane {number} lift {time.monotonic_ns()}", "containerTag": space}
        return web("post", path="/v4/search", body=body)["took"]

    web("serve", pages={"/drip": {**page("x"), "drip": 0.5}, "/endless": {**page(""), "endless": 65536}})
    before = [(ingest(number), search(number)) for number in range(6)]
    memory = web("most_memory", words="workers host")

    jobs = [add(web, f"http://page.test/{'endless' if n % 5 == 0 else 'drip'}?{n}", space)["jobId"] for n in range(50)]
    during = [(ingest(number), search(number)) for number in range(10, 18)]
    open_ = [web("get", path=f"/v1/jobs/{id}", query={})["state"] in ("queued", "running") for id in jobs]
    assert sum(open_) >= 10, "the pages were to be under way meanwhile"
    reasons = [web("job", id=id, seconds=120)["reason"] for id in jobs]

    assert all("too large" in one if n % 5 == 0 else "timed out" in one for n, one in enumerate(reasons)), reasons
    for kind, had, has in zip(("ingest", "search"), zip(*before, strict=True), zip(*during, strict=True), strict=True):
        assert statistics.median(has) <= 3 * statistics.median(had) + 0.3, (kind, had, has)
    # Four pages of 5 MB, each once as it comes and once whole.
    assert web("most_memory", words="workers host") - memory < 64 * MB


def test_what_is_refused_is_refused_before_it_is_kept(web, space):
    for url in ("http://127.0.0.1:6379/", "http://[::ffff:169.254.169.254]/latest/", "http://0x7f.1/"):
        answer = web("post", path="/v3/documents", body={"content": url, "containerTag": space})
        assert (answer["http"], answer["code"]) == (400, "url_refused")
    assert web("contacts") == []

"""The page shows everything, escapes everything, loads nothing, and can be used with a keyboard alone."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from api.openapi.document import document
from api.openapi.page import page
from api.openapi.published import published
from api.openapi.reference import reference

# What a text may become, and what is around it.
PLAIN = {*"html head meta title style body a nav header main div h1 h2 h3 h4 p ul li pre code strong".split(),
         *"table thead tbody tr th td".split()}  # fmt: skip
VOID = {"meta", "link", "br", "hr", "img", "input"}


class Reader(HTMLParser):
    """Keeps ids, links and texts; fails when a tag is closed that is not open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        assert not self._open

    def handle_starttag(self, tag, attrs):
        told = dict(attrs)
        self.tags.add(tag)
        self.attributes |= set(told)
        self.ids += [told["id"]] if "id" in told else []
        self.links += [told["href"]] if "href" in told else []
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


@pytest.fixture
def shown(app) -> Reader:
    return Reader(published(app).page)


def test_every_route_and_code_is_on_the_page(app, shown):
    words = set(shown.words)

    for rule in app.url_map.iter_rules():
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}:
            address = re.sub(r"<(?:\w+:)?(\w+)>", lambda part: f"{{{part[1]}}}", rule.rule).replace("{ref}", "{id}")
            assert f"{method} {address}" in words
    assert "idempotency_mismatch" in words


def test_every_refusal_of_a_route_is_told_with_it_or_for_all(app):
    told = document(app)
    routes = {
        f"{method.upper()} {path}": one for path, methods in told["paths"].items() for method, one in methods.items()
    }
    sections = dict(re.findall(r"^### `([^`]+)`$(.*?)(?=^##)", reference(told), re.MULTILINE | re.DOTALL))
    links = {route: set(re.findall(r"\[(\d+)\]\(#", sections[route])) for route in routes}
    everywhere = set(re.findall(r"\[(\d+)\]", reference(told).split("Every route may answer ")[1].partition(".")[0]))

    assert {"400", "401"} <= everywhere
    for route, one in routes.items():
        refused = {status for status, answer in one["responses"].items() if "$ref" in answer}
        assert links[route] | everywhere == refused, route
        assert not links[route] & everywhere


def test_every_link_leads_to_one_place_of_the_page(shown):
    assert len(shown.ids) == len(set(shown.ids)), sorted(one for one in shown.ids if shown.ids.count(one) > 1)
    assert {link.removeprefix("#") for link in shown.links} <= set(shown.ids)


def test_page_loads_and_runs_nothing(app, client, shown):
    answer = client.get("/v1/docs")

    assert answer.mimetype == "text/html"
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert not shown.tags & {"script", "link", "img", "iframe", "object", "form", "base"}
    assert not {one for one in shown.attributes if one.startswith("on") or one == "src"}
    assert "url(" not in answer.get_data(as_text=True)
    assert "@import" not in answer.get_data(as_text=True)


def test_page_is_readable_without_a_key(public):
    assert public.get("/v1/docs").status_code == 200
    assert public.get("/v1/docs?x=1").status_code == 400


@pytest.mark.parametrize(
    "text",
    [
        "## <script>alert(1)</script>",
        "Text & <b onclick='x'>more</b> `<i>` **<u>** [<s>](#a)",
        "| <a> | `<b>` |\n|---|---|\n| <c> & \"d\" | 'e' \\| <f> |",
        "* <one>\n* two & three",
        "```json\n</code></pre><script>\n```",
        '[x](javascript:alert(1)) [y](#"onclick=1)',
        "{{title}} {{body}} {{nothing}}",
    ],
)
def test_text_is_shown_and_never_markup(text):
    shown = Reader(page(text, title="<title> & {{body}}"))

    assert shown.tags <= PLAIN
    assert not {one for one in shown.attributes if one.startswith("on")}
    assert all(link.startswith("#") for link in shown.links)


def test_whoever_has_only_a_keyboard_reaches_everything(app, shown):
    text = published(app).page

    assert text.index('class="skip"') < text.index("<nav")
    assert 'lang="en"' in text
    assert text.count("<pre tabindex='0'>") == text.count("<pre")
    assert text.count("<div class='wide' tabindex='0'>") == text.count("<table>")
    assert ":focus-visible" in text

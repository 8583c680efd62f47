"""Pages to the Markdown of their articles; the cases' own pages and what pages do."""

import pytest

from services.reading.html import to_markdown
from services.reading.refusals import CannotRead
from tests.data.pages import NOISE

SENTENCE = "The crane at berth four lifts fifty five tonnes while the wind is below nine metres per second. "
MENU = "<nav><ul>" + "".join(f"<li><a href='/{n}'>Menu entry number {n}</a></li>" for n in range(30)) + "</ul></nav>"


def read(html, charset=None):
    return to_markdown(html if isinstance(html, bytes) else html.encode(), declared_charset=charset)


def test_an_article_is_kept_without_what_is_around_and_under_it():
    found = read(NOISE)

    assert found.title == "Pump guide"
    assert found.text == (
        "# Pump guide\n\nARTICLE-9931: prime the pump for 30 seconds.\n\none\n\ntwo\n\n"
        "| flow | 12 l/min |\n| --- | --- |\n\n```\nline A\n    line B\n```\n\nAT&T <tag> café \u00a0end"
    )


def test_structure_becomes_markdown():
    article = (
        f"<h1>Cranes</h1><p>{SENTENCE * 3}</p><h2>Limits</h2>"
        "<table><thead><tr><th>berth</th><th>tonnes</th></tr></thead><tr><td>4</td><td>55</td></tr></table>"
        "<pre><code class='language-python'>def lift():\n    return 55\n</code></pre>"
        "<ul><li>hook<ul><li>chain</li></ul></li><li>rope</li></ul><blockquote>Mind the wind.</blockquote>"
    )
    text = read(
        f"<html><body>{MENU}<div class='page'><main>{article}</main></div><footer>Imprint</footer></body></html>"
    ).text

    for part in (
        "# Cranes\n", "## Limits\n", "| berth | tonnes |\n| --- | --- |\n| 4 | 55 |", "return 55\n```",
        "- hook\n  - chain\n- rope", "> Mind the wind.",
    ):  # fmt: skip
        assert part in text, text
    assert "Menu entry" not in text
    assert "Imprint" not in text


@pytest.mark.parametrize(
    ("shape", "written"),
    [
        ("<h2>Limits<a class='headerlink' href='#limits'>¶</a></h2>", "## Limits\n"),
        ("<h2><a href='#limits'>Limits</a> <a href='#x' class='anchor'>#</a></h2>", "## Limits\n"),
        ("<pre><code class='language-rust'>fn a()</code></pre>", "```rust\nfn a()\n```"),
        (
            "<div class='highlight-python notranslate'><div class='highlight'><pre>x</pre></div></div>",
            "```python\nx\n```",
        ),
        ("<div class='highlight highlight-source-shell'><pre>ls</pre></div>", "```shell\nls\n```"),
        (
            "<table><tr><td class='linenos'><pre>1\n2</pre></td><td class='code'><pre>a\nb</pre></td></tr></table>",
            "\n```\na\nb\n```\n",
        ),
        ("<table role='presentation'><tr><td>one</td><td>two</td></tr></table>", "one\n\ntwo"),
        ("<table><tr><td><table><tr><td>a</td><td>b</td></tr></table></td></tr></table>", "| a | b |\n| --- | --- |"),
        (
            "<table><caption>Loads</caption><tr><th>a</th></tr><tr><td>1</td></tr></table>",
            "Loads\n\n| a |\n| --- |\n| 1 |",
        ),
        ("<p>It is <math alttext='E=mc^2'><mi>E</mi><mn>2</mn></math>.</p>", "It is E=mc^2."),
        (
            "<p>It is <math><mi>a</mi><annotation encoding='application/x-tex'>a_1</annotation></math>.</p>",
            "It is a_1.",
        ),
        ("<ol><li>one<li>two</ol>", "1. one\n2. two"),
        ("<div>one</div><div>two</div>", "one\n\ntwo"),
        ("<p>a<br>b</p>", "a\nb"),
    ],
)
def test_each_shape_is_written_as_what_it_means(shape, written):
    text = read(f"<body><article><h1>Cranes</h1><p>{SENTENCE}</p>{shape}<p>After it.</p></article></body>").text

    assert written in text, text
    assert "¶" not in text


@pytest.mark.parametrize(
    "hidden",
    [
        "<p style='display:none'>HID</p>", "<p style='DISPLAY : none !important'>HID</p>", "<p hidden>HID</p>",
        "<div aria-hidden='true'><p>HID</p></div>", "<span style='font-size:0'>HID</span>",
        "<p style='visibility:hidden'>HID</p>", "<p style='position:absolute;left:-9999px'>HID</p>",
        "<template><p>HID</p></template>", "<noscript>HID</noscript>",
        "<script>var x = 'HID'</script>", "<style>.HID{color:red}</style>", "<!-- HID -->", "<?php HID ?>",
        "<svg><text>HID</text></svg>", "<select><option>HID</option></select>", "<button>HID</button>",
        "<iframe>HID</iframe>", "<textarea>HID</textarea>", "<object>HID</object>", "<input value='HID'>",
        "<math aria-hidden=true><mi>HID</mi></math>", "<dialog>HID</dialog>",
    ],
)  # fmt: skip
def test_what_a_reader_does_not_see_is_not_read(hidden):
    text = read(
        f"<html><body><article><h1>Cranes</h1><p>{SENTENCE}</p>{hidden}<p>After it.</p></article></body></html>"
    ).text

    assert "HID" not in text
    assert "fifty five tonnes" in text
    assert text.endswith("After it.")


def test_a_page_that_is_faded_in_is_read():
    faded = f"<div style='opacity:0;transform:none'><p>{SENTENCE}</p></div><script src='a.js'></script>"
    assert "fifty five" in read(f"<body>{faded}</body>").text


def test_a_hidden_body_is_read_because_its_scripts_show_it():
    assert "fifty five" in read(f"<body style='visibility:hidden'><p>{SENTENCE}</p></body>").text


def test_notes_of_a_manual_stay_and_boxes_beside_it_go():
    page = (
        f"<body><div id='content'><h1>Cranes</h1><p>{SENTENCE * 4}</p>"
        f"<aside class='admonition note'><p>Wear a helmet.</p></aside><p>{SENTENCE * 4}</p>"
        "<aside class='sidebar'><p>Read also: boats</p></aside><div class='cookie-consent'>We use cookies</div>"
        "<p class='shared-memory'>Two processes share it.</p></div></body>"
    )
    text = read(page).text

    assert "Wear a helmet." in text
    assert "Two processes share it." in text
    assert "boats" not in text
    assert "cookies" not in text


def test_a_page_of_boxes_alone_is_read_whole():
    assert "fifty five" in read(f"<body><nav><p>{SENTENCE * 3}</p></nav></body>").text


def test_the_title_heads_a_text_that_has_no_heading():
    found = read(f"<html><head><title> Berth\n four </title></head><body><p>{SENTENCE}</p></body></html>")

    assert found.title == "Berth four"
    assert found.text.startswith("# Berth four\n\nThe crane")


def test_a_page_that_only_scripts_fill_says_so():
    with pytest.raises(CannotRead, match="scripts make it"):
        read("<html><body><div id='root'></div><script src='app.js'></script></body></html>")


@pytest.mark.parametrize("html", ["", " \n", "<html></html>", "<p></p>", "<!-- only -->"])
def test_a_page_without_text_says_so(html):
    with pytest.raises(CannotRead):
        read(html)

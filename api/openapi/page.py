"""The reference as one HTML page: no script, nothing from elsewhere, every text escaped.

It reads the little Markdown that `reference` writes and docstrings are written in: headings, paragraphs, lists, tables,
blocks of code; inline code, bold text and links within the page. Anything else is shown as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path

SHELL = (Path(__file__).parent / "page.html").read_text(encoding="utf-8")
# Nothing may be loaded or run; the style is in the page.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
HEADING = re.compile(r"(#{2,4}) (.+)")
BLOCK = re.compile(r"```\w*\n(.*?)\n```|((?:[^\n]+\n?)+)", re.DOTALL)
SPAN = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(#([\w-]+)\)")
CELLS = re.compile(r"(?<!\\)\|")


def page(text: str, *, title: str) -> str:
    """Return the page of a text.

    Args:
        text: in Markdown.
        title: of the page.
    """
    headings = [(len(marks), told) for marks, told in HEADING.findall(text)]
    whole = {"title": escape(title), "contents": "".join(_contents(headings)), "body": "".join(_blocks(text))}
    return re.sub(r"\{\{(\w+)\}\}", lambda place: whole[place[1]], SHELL)


def _contents(headings: list[tuple[int, str]]) -> Iterator[str]:
    """Yield the list of subjects with their routes."""
    is_open = False
    for level, told in headings:
        if level == 2:
            yield f"{'</ul>' if is_open else ''}<p><a href='#{anchor(told)}'>{_inline(told)}</a></p><ul>"
            is_open = True
        elif level == 3 and is_open:
            yield f"<li><a href='#{anchor(told)}'>{_inline(told)}</a></li>"
    yield "</ul>" if is_open else ""


def _blocks(text: str) -> Iterator[str]:
    for found in BLOCK.finditer(text):
        if found[1] is not None:
            yield f"<pre tabindex='0'><code>{escape(found[1])}</code></pre>\n"
        else:
            yield _block(found[2].strip("\n").split("\n"))


def _block(lines: list[str]) -> str:
    if heading := HEADING.fullmatch(lines[0]):
        level, told = len(heading[1]), heading[2]
        rest = _block(lines[1:]) if lines[1:] else ""
        return f"<h{level} id='{anchor(told)}'>{_inline(told)}</h{level}>\n{rest}"
    if lines[0].startswith("|"):
        return _table(lines)
    if lines[0].startswith("* "):
        return f"<ul>{''.join(f'<li>{_inline(item)}</li>' for item in _items(lines))}</ul>\n"
    for number, line in enumerate(lines):
        if number and line.startswith(("* ", "| ")):
            return _block(lines[:number]) + _block(lines[number:])
    return f"<p>{_inline(' '.join(lines))}</p>\n"


def _items(lines: list[str]) -> Iterator[str]:
    """Yield the items of a list; a line that begins none goes on with the one before."""
    for item in re.split(r"\n\* ", "\n".join(lines).removeprefix("* ")):
        yield " ".join(part.strip() for part in item.split("\n"))


def _table(lines: list[str]) -> str:
    head, *rows = (CELLS.split(line)[1:-1] for line in lines if not line.startswith("|---"))
    top = "".join(f"<th scope='col'>{_inline(cell)}</th>" for cell in head)
    below = "".join(f"<tr>{''.join(f'<td>{_inline(cell)}</td>' for cell in row)}</tr>\n" for row in rows)
    return f"<div class='wide' tabindex='0'><table><thead><tr>{top}</tr></thead><tbody>{below}</tbody></table></div>\n"


def _inline(text: str) -> str:
    """Escape a text and mark its spans; what is in code is not looked at again."""
    text = text.strip().replace("\\|", "|")
    parts, end = [], 0
    for span in SPAN.finditer(text):
        parts += [escape(text[end : span.start()]), _span(span)]
        end = span.end()
    return "".join((*parts, escape(text[end:])))


def _span(span: re.Match[str]) -> str:
    code, bold, words, place = span.groups()
    if code is not None:
        return f"<code>{escape(code)}</code>"
    if bold is not None:
        return f"<strong>{escape(bold)}</strong>"
    return f"<a href='#{place}'>{escape(words)}</a>"


def anchor(heading: str) -> str:
    """Return by which name a heading is linked to, as code hosts make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")

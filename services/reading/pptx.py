"""Presentations: a section for each slide with its title, text, tables, charts and the speaker's notes."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from pptx import Presentation
from pptx.enum.shapes import MSO_SHAPE_TYPE

from services.reading.archive import open_office
from services.reading.extracted import Extracted
from services.reading.kinds import Kind
from services.reading.limits import ReadingLimits
from services.reading.markdown import clean, heading, table, tidy

# Deeper groups than this are nobody's drawing.
_DEEPEST = 20


def read(body: bytes, kind: Kind, *, charset: str | None, limits: ReadingLimits) -> Extracted:
    """Return a presentation; see `readers.read`."""
    open_office(body)
    slides = dict(enumerate(Presentation(io.BytesIO(body)).slides, 1))
    hidden = [number for number, slide in slides.items() if slide.element.get("show") in ("0", "false")]
    shown = {number: slide for number, slide in slides.items() if number not in hidden}
    bare = [number for number, slide in shown.items() if not _has_words(slide)]
    text = "\n\n".join(_slide(number, slide) for number, slide in shown.items() if number not in bare)
    warnings = (
        f"No text on {_named(bare)}; pictures are not read." if bare and text else "",
        f"Left out, because hidden: {_named(hidden)}." if hidden else "",
    )
    return Extracted(text=tidy(text), warnings=tuple(filter(None, warnings)), pages=len(slides))


def _named(numbers: list[int]) -> str:
    named = ", ".join(map(str, numbers[:20])) + (" …" if len(numbers) > 20 else "")
    return f"slide{'s' if len(numbers) > 1 else ''} {named}"


def _has_words(slide: Any) -> bool:
    return any(block.strip() for block in _blocks(slide)) or bool(_title(slide))


def _slide(number: int, slide: Any) -> str:
    title = _title(slide)
    head = heading(2, f"Slide {number}: {title}" if title else f"Slide {number}")
    return "\n\n".join([head, *filter(None, _blocks(slide))])


def _title(slide: Any) -> str:
    shape = slide.shapes.title
    return " ".join(shape.text_frame.text.split()) if shape is not None and shape.has_text_frame else ""


def _blocks(slide: Any) -> Iterator[str]:
    title = slide.shapes.title
    for shape in _shapes(slide.shapes):
        if title is not None and shape.shape_id == title.shape_id:
            continue
        if shape.has_text_frame:
            yield _paragraphs(shape.text_frame)
        elif getattr(shape, "has_table", False) and shape.has_table:
            yield table([[one.text for one in row.cells] for row in shape.table.rows])
        elif getattr(shape, "has_chart", False) and shape.has_chart:
            yield _chart(shape.chart)
    notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    if notes is not None and notes.text.strip():
        yield f"Notes: {clean(notes.text).strip()}"


def _shapes(shapes: Any, depth: int = 0) -> Iterator[Any]:
    for shape in shapes:
        if shape.shape_type == MSO_SHAPE_TYPE.GROUP and depth < _DEEPEST:
            yield from _shapes(shape.shapes, depth + 1)
        else:
            yield shape


def _paragraphs(frame: Any) -> str:
    """Return the paragraphs of a text box: a list where there are several or they are indented."""
    lines = [(one.level, " ".join(clean(one.text).split())) for one in frame.paragraphs]
    lines = [(level, text) for level, text in lines if text]
    if len(lines) < 2:
        return "\n".join(text for _, text in lines)
    return "\n".join(f"{'  ' * level}- {text}" for level, text in lines)


def _chart(chart: Any) -> str:
    """Return the numbers of a chart as a table."""
    plot = next(iter(chart.plots), None)
    if plot is None:
        return ""
    series = [(one.name or "", list(one.values)) for one in plot.series]
    names = [str(one) for one in plot.categories]
    rows = [["", *(name for name, _ in series)]]
    for index, name in enumerate(names):
        values = (values[index] if index < len(values) else None for _, values in series)
        rows.append([name, *("" if value is None else f"{value:g}" for value in values)])
    title = chart.chart_title.text_frame.text if chart.has_title and chart.chart_title.has_text_frame else ""
    return "\n\n".join(filter(None, (clean(title).strip(), table(rows))))

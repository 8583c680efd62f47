import datetime as dt

import pytest

from memory.chunking import chunk
from services.reading import readers
from services.reading.limits import ReadingLimits
from services.reading.refusals import CannotRead
from services.reading.shown_values import shown
from tests.office_files import docx, paragraph, pptx, word_table, xlsx

LIMITS = ReadingLimits()


def read(body, name):
    return readers.read(body, name, None, None, LIMITS)


def test_a_word_file_keeps_headings_lists_and_tables():
    body = docx(
        paragraph("Crane manual", style="Titel"), paragraph("Limits", style="berschrift1"),
        paragraph("The limit is 55 kg &amp; no_more *ever*."), paragraph("First", list_=(1, 0)),
        paragraph("Nested", list_=(1, 1)), paragraph("one", list_=(2, 0)), paragraph("two", list_=(2, 0)),
        paragraph("Halls", style="Heading2"), word_table([["Hall", "Limit | kg"], ["3", "40"], ["4", "55"]]),
    )  # fmt: skip
    assert read(body, "a.docx").text == (
        "# Crane manual\n\n# Limits\n\nThe limit is 55 kg & no_more *ever*.\n\n- First\n  - Nested\n\n1. one\n"
        "2. two\n\n## Halls\n\n| Hall | Limit \\| kg |\n| --- | --- |\n| 3 | 40 |\n| 4 | 55 |"
    )


def test_what_is_hidden_in_a_word_file_or_a_presentation_is_not_read():
    hidden = "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>HIDDEN-77</w:t></w:r><w:r><w:t>shown</w:t></w:r></w:p>"
    shown_ = '<w:p><w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>not hidden</w:t></w:r></w:p>'
    assert read(docx(hidden, shown_), "a.docx").text == "shown\n\nnot hidden"
    import io

    from pptx import Presentation

    show = Presentation(io.BytesIO(pptx([("First", ["x"], ""), ("Second", ["HIDDEN-77"], "")])))
    show.slides[1].element.set("show", "0")
    out = io.BytesIO()
    show.save(out)
    found = read(out.getvalue(), "a.pptx")
    assert "HIDDEN-77" not in found.text
    assert found.warnings == ("Left out, because hidden: slide 2.",)


def test_pictures_of_a_word_file_are_said_to_be_missing():
    body = docx(paragraph("x"), **{"word/media/image1.png": "png"})
    assert read(body, "a.docx").warnings == ("1 pictures were not read.",)


def test_a_table_over_many_chunks_has_its_header_in_each():
    rows = [["Hall", "Crane", "Limit"], *([f"{n}", f"crane {n} of the northern yard", f"{n} kg"] for n in range(200))]
    text = read(xlsx({"Yard": rows}), "a.xlsx").text
    spans = chunk(text)
    assert len(spans) > 3
    for span in spans:
        assert "| Hall | Crane | Limit |" in span.body(text)
        assert span.heading == ("Yard",)


def test_a_slide_is_a_section_with_its_points_and_notes():
    body = pptx([("Why cranes", ["They lift", "They turn"], "Say hello"), ("Numbers", ["40 kg"], "")])
    found = read(body, "a.pptx")
    assert found.text == (
        "## Slide 1: Why cranes\n\n- They lift\n- They turn\n\nNotes: Say hello\n\n## Slide 2: Numbers\n\n40 kg"
    )
    assert found.pages == 2


def test_slides_without_words_are_named():
    found = read(pptx([("", [], ""), ("Second", ["x"], ""), ("", [], "")]), "a.pptx")
    assert "slides 1, 3" in found.warnings[0]
    with pytest.raises(CannotRead, match="no text"):
        read(pptx([("", [], "")]), "a.pptx")


def test_slides_hold_tables_charts_and_groups():
    import io

    from pptx import Presentation
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE
    from pptx.util import Inches

    show = Presentation()
    slide = show.slides.add_slide(show.slide_layouts[6])
    shape = slide.shapes.add_table(2, 2, Inches(1), Inches(1), Inches(4), Inches(1))
    for row, texts in enumerate((("Hall", "kg"), ("3", "40"))):
        for column, text in enumerate(texts):
            shape.table.cell(row, column).text = text
    data = CategoryChartData()
    data.categories = ["North", "South"]
    data.add_series("Loads", (40, 55.5))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(2), Inches(4), Inches(3), data)
    box = slide.shapes.add_group_shape().shapes.add_textbox(Inches(1), Inches(1), Inches(1), Inches(1))
    box.text_frame.text = "inside a group"
    out = io.BytesIO()
    show.save(out)
    text = read(out.getvalue(), "a.pptx").text
    assert "| Hall | kg |\n| --- | --- |\n| 3 | 40 |" in text
    assert "|  | Loads |\n| --- | --- |\n| North | 40 |\n| South | 55.5 |" in text
    assert "inside a group" in text


def test_a_sheet_is_a_section_with_a_table():
    body = xlsx({"Loads": [["Hall", "kg"], ["A|3", 40], [], ["B", 55.5]], "Empty": [], "Two": [["x"], [True]]})
    found = read(body, "a.xlsx")
    assert found.text == (
        "## Loads\n\n| Hall | kg |\n| --- | --- |\n| A\\|3 | 40 |\n| B | 55.5 |\n\n## Two\n\n| x |\n| --- |\n| TRUE |"
    )


def test_a_formula_without_a_stored_value_stands_for_itself_and_hidden_sheets_are_left_out():
    import io

    from openpyxl import load_workbook

    book = load_workbook(io.BytesIO(xlsx({"Loads": [["a", "b"], [1, "=A2*2"]], "Secret": [["HIDDEN-5"]]})))
    book["Secret"].sheet_state = "hidden"
    out = io.BytesIO()
    book.save(out)
    found = read(out.getvalue(), "a.xlsx")
    assert "| 1 | =A2*2 |" in found.text
    assert "HIDDEN-5" not in found.text
    assert any("no stored value" in one for one in found.warnings)
    assert any("'Secret' was left out" in one for one in found.warnings)


@pytest.mark.parametrize(
    ("value", "number_format", "text"),
    [
        (0.255, "0.0%", "25.5%"),
        (0.3, "General", "0.3"),
        (0.1 + 0.2, "General", "0.3"),
        (55.1, "0.00", "55.10"),
        (1234.5, '#,##0.00 "€"', "1,234.50 €"),
        (-3, "[$$-409]#,##0.00;[Red]-[$$-409]#,##0.00", "-$3.00"),
        (-3, "#,##0_);(#,##0)", "(3)"),
        (2, '0 "kg (net 0.5)"', "2 kg (net 0.5)"),
        (1e21, "General", "1e+21"),
        (12345678901234567890, "0", "12345678901234567890"),
        (7, "@", "7"),
        (0.5, "# ?/?", "0.5"),
        (True, "General", "TRUE"),
        (dt.datetime(2026, 5, 4), "DD.MM.YYYY", "2026-05-04"),
        (dt.datetime(2026, 5, 4), "m/d/yy", "2026-05-04"),
        (dt.datetime(2026, 5, 4, 9, 30), "mm-dd-yy h:mm", "2026-05-04 09:30"),
        (dt.datetime(2026, 5, 4, 9, 5), "mmm d, yyyy h:mm AM/PM", "May 4, 2026 9:05 AM"),
        (dt.datetime(2026, 5, 4), "mmmm yyyy", "May 2026"),
        (dt.datetime(2026, 5, 4), "dddd", "Monday"),
        (dt.date(2020, 2, 29), "yyyy-mm-dd", "2020-02-29"),
        (dt.time(9, 5), "h:mm", "9:05"),
        (dt.timedelta(hours=30, minutes=5), "[h]:mm", "30:05:00"),
        (None, "General", ""),
        ("text", "0.00", "text"),
    ],
)
def test_a_value_is_written_as_the_sheet_shows_it(value, number_format, text):
    assert shown(value, number_format) == text


def test_a_name_that_promises_another_kind_is_said():
    found = read(docx(paragraph("hello")), "a.pdf")
    assert found.warnings == ("The name ends in .pdf, but the content is a Word document; it was read as that.",)

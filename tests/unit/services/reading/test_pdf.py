from pathlib import Path

import pytest

from services.reading import readers
from services.reading.limits import ReadingLimits
from services.reading.pdf_lines import Line, markdown_of
from services.reading.refusals import CannotRead
from tests.office_files import pdf

FILES = Path(__file__).parents[3] / "data" / "files"


def read(body):
    return readers.read(body, "a.pdf", None, None, ReadingLimits())


def test_large_lines_are_headings_and_the_others_paragraphs():
    page = [(20, "Crane manual"), (11, "The crane lifts 55 kg."), (11, "It stands in hall 4."), (15, "Care"),
            (11, "Oil it each week.")]  # fmt: skip
    assert read(pdf([page])).text == (
        "# Crane manual\n\nThe crane lifts 55 kg.\nIt stands in hall 4.\n\n## Care\n\nOil it each week."
    )


def test_a_page_of_pictures_is_named_and_a_file_of_them_refused():
    found = read((FILES / "mixed_scan.pdf").read_bytes())
    assert "PAGEONE-TEXT" in found.text
    assert found.warnings == ("Page 2 has no text and looks like a scan.",)
    assert found.pages == 2
    with pytest.raises(CannotRead, match=r"no extractable text.*OCR"):
        read((FILES / "scanned_only.pdf").read_bytes())


def test_many_pages_of_pictures_are_counted():
    found = read(pdf([[(11, "Only this page has words.")], *[[]] * 30]))
    assert found.warnings[0].startswith("Pages 2, 3, 4,")
    assert found.warnings[0].endswith("… have no text and look like scans.")


def test_running_heads_and_page_numbers_are_left_out():
    pages = [[(8, "Crane Works Ltd"), (11, f"This is what page {n} says."), (8, f"Page {n} of 6")] for n in range(1, 7)]
    text = read(pdf(pages)).text
    assert "Crane Works" not in text
    assert "Page 3 of 6" not in text
    assert all(f"This is what page {n} says." in text for n in range(1, 7))


def test_a_sentence_goes_on_over_a_page_end():
    text = read(pdf([[(11, "The crane of the northern")], [(11, "hall lifts 55 kg.")]])).text
    assert text == "The crane of the northern\nhall lifts 55 kg."


def test_words_that_a_line_end_splits_are_joined():
    lines = [Line(text="The max\u0002", top=111, bottom=100), Line(text="imum is 55 kg.", top=98, bottom=87)]
    assert markdown_of([lines]) == "The maximum is 55 kg."


def test_a_poster_in_large_type_has_no_headings():
    assert "#" not in read(pdf([[(30, "BIG WORDS ON A POSTER"), (30, "AND MORE OF THEM"), (9, "tiny")]])).text


def test_a_broken_file_is_read_as_far_as_it_can_be():
    body = pdf([[(11, "The first page is whole.")], [(11, "The second as well.")]])
    at = body.rfind(b"startxref")
    found = read(body[:at] + b"startxref\n99999\n%%EOF")
    assert "The first page is whole." in found.text
    with pytest.raises(CannotRead, match="damaged or cut off"):
        read(b"%PDF-1.7\n" + b"x" * 500)


def test_a_password_is_asked_for_by_name():
    import io

    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf([[(11, "secret")]]))))
    writer.encrypt("hunter2", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    with pytest.raises(CannotRead, match=r"protected with a password\. Remove the password"):
        read(out.getvalue())

"""Pieces of texts, and finding them in bytes whatever stands around them."""

import base64
import json

from hypothesis import given
from hypothesis import strategies as st

from memory.fragments import LEAST_BYTES, found_in, fragments, needles, unpacked


def test_a_text_is_cut_into_pieces_of_its_lines_and_its_terms():
    text = "The vault code DELME-31 opens the north door of the old depot.\n\nIt is warm."

    pieces = list(fragments(text))

    assert "The vault code DELME-31 opens the north door of" in pieces
    assert "delme-31" in pieces
    assert all(len(piece.encode()) >= LEAST_BYTES for piece in pieces)


def test_what_json_writes_otherwise_is_looked_for_as_json_writes_it_too():
    sought = needles(["Zürich liegt am See"])

    assert found_in(json.dumps({"note": "Zürich liegt am See"}).encode(), sought)
    assert found_in("Zürich liegt am See".encode(), sought)


@given(before=st.binary(max_size=40), after=st.binary(max_size=40), piece=st.binary(min_size=LEAST_BYTES, max_size=60))
def test_a_piece_is_found_at_any_place(before, after, piece):
    assert found_in(before + piece + after, [piece]) == {piece}


@given(block=st.binary(max_size=200), piece=st.binary(min_size=LEAST_BYTES, max_size=20))
def test_nothing_is_found_that_is_not_there(block, piece):
    assert (found_in(block, [piece]) == {piece}) == (piece in block)


def test_what_a_message_carries_in_base_64_is_unpacked():
    body = base64.b64encode(json.dumps([[], {"texts": ["The vault code DELME-31 opens."]}]).encode())

    assert b"DELME-31" in unpacked(b'{"body": "' + body + b'", "headers": {}}')
    assert unpacked(b"nothing of that kind") == b""

import io

from ops.log_lines import LogLines


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_lines_carry_their_name_in_one_column_and_no_colour_in_a_file():
    out = io.StringIO()
    logs = LogLines(out, ("api", "background"), {})
    logs.write("api", "hello")
    logs.write("background", "there")
    assert out.getvalue() == "api        | hello\nbackground | there\n"


def test_a_terminal_gets_colour_unless_it_asks_for_none():
    coloured, plain = Terminal(), Terminal()
    LogLines(coloured, ("api",), {}).write("api", "x")
    LogLines(plain, ("api",), {"NO_COLOR": "1"}).write("api", "x")
    assert "\x1b[" in coloured.getvalue()
    assert plain.getvalue() == "api | x\n"


def test_a_reader_that_went_away_does_not_stop_the_writers():
    out = io.StringIO()
    logs = LogLines(out, ("api",), {})
    out.close()
    logs.write("api", "x")
    logs.write("api", "y")

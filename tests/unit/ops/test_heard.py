from ops.heard import main


def test_a_broker_that_is_away_is_not_heard_of(tmp_path, capsys):
    assert main([], {"MEMLANE_DATA_DIR": str(tmp_path)}) == 1
    assert main(["node:a"], {"MEMLANE_DATA_DIR": str(tmp_path)}) == 1
    assert capsys.readouterr().err

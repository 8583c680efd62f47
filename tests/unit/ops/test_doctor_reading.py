from memory.settings import Settings
from ops import doctor_reading
from ops.doctor_reading import examine_reading
from services.reading import landlock


def test_a_reader_is_started_and_every_library_it_needs_is_there():
    found = list(examine_reading(Settings()))
    assert [one.state for one in found] in (["ok"], ["warning"])
    assert not any("Not installed" in one.sentence for one in found)


def test_a_reader_that_cannot_start_is_a_problem():
    (found,) = examine_reading(Settings(read_memory_bytes=1024 * 1024))
    assert found.state == "problem"
    assert "No file can be read here" in found.sentence


def test_what_the_kernel_lacks_and_what_is_not_installed_is_said(monkeypatch):
    told = {"network": False, "files": True, "missing": ["pdf"]}
    monkeypatch.setattr(doctor_reading, "probe", lambda limits: told)
    problem, warning = examine_reading(Settings())
    assert (problem.state, warning.state) == ("problem", "warning")
    assert "pdf" in problem.sentence
    assert "from its network (" in warning.sentence


def test_a_kernel_without_landlock_is_told_apart_from_one_with_it(monkeypatch):
    class Old:
        def syscall(self, *arguments):
            return -1

    monkeypatch.setattr(landlock.ctypes, "CDLL", lambda *arguments, **options: Old())
    assert landlock.restrict({}) is False

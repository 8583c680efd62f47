from memory.settings import Settings
from workers.app import make_app
from workers.beat import MemoryScheduler, schedule, slot


def test_moments_of_one_slot_have_one_number_and_the_next_another():
    assert slot(3.0, 30.0) == slot(3.0, 32.999) == 10
    assert slot(3.0, 33.0) == 11


def test_ticks_go_to_the_host_and_do_not_pile_up():
    entries = schedule(Settings(sweep_seconds=4.0, time_factor=2.0))
    assert set(entries) == {"bucket.fill", "ledger.sweep", "memory.expire", "node.watch", "store.checkpoint"}
    assert entries["ledger.sweep"]["schedule"] == 2.0
    assert entries["node.watch"]["schedule"] == 1.0
    for entry in entries.values():
        assert entry["options"]["queue"] == "host"
        assert entry["options"]["expires"] > entry["schedule"]


def test_the_schedule_needs_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    settings = Settings(data_dir=str(tmp_path / "data"))
    app = make_app(settings)
    app.conf.beat_schedule = dict(schedule(settings))

    scheduler = MemoryScheduler(app)

    assert set(scheduler.schedule) == {"bucket.fill", "ledger.sweep", "memory.expire", "node.watch", "store.checkpoint"}
    assert list(tmp_path.iterdir()) == []

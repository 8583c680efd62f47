"""One host for a broker: a second one says nothing to the nodes and says why."""

import logging
from dataclasses import replace

from memory.inventory import INVENTORY_KEY
from memory.settings import Settings
from services import host_seat, nodes
from services.fakes import RecordingFleet, fake_host

HELD = "elsewhere:/var/lib/memlane"


def test_a_host_keeps_its_seat_and_another_store_does_not_get_it(tmp_path):
    fleet = RecordingFleet()
    one, other = (fake_host(tmp_path / name, fleet=fleet) for name in ("one", "other"))

    nodes.watch(one)
    published = fleet.texts[INVENTORY_KEY]
    nodes.watch(replace(other, nodes=()))
    nodes.watch(one)

    assert fleet.texts[INVENTORY_KEY] == published
    for host in (one, other):
        host.store.close()


def test_a_folder_keeps_its_name_and_no_other_has_it(tmp_path):
    one, other = (Settings(data_dir=str(tmp_path / name)) for name in ("one", "other"))

    assert host_seat.own_name(one) == host_seat.own_name(one)
    assert host_seat.own_name(one) != host_seat.own_name(other)
    assert str(tmp_path / "one") in host_seat.own_name(one)
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["host.id"]


def test_the_second_one_says_once_who_the_first_is(tmp_path, caplog):
    settings = fake_host(tmp_path).settings
    fleet = RecordingFleet(held={host_seat.HOST_KEY: HELD})

    with caplog.at_level(logging.ERROR):
        assert [host_seat.keep(settings, fleet) for _ in range(3)] == [False] * 3

    (record,) = caplog.records
    assert f"Another memlane host works with this broker ({HELD})" in record.getMessage()


def test_a_free_seat_and_ones_own_are_no_obstacle(tmp_path):
    settings = fake_host(tmp_path).settings

    assert host_seat.taken_by(settings, None) is None
    assert host_seat.taken_by(settings, host_seat.own_name(settings)) is None

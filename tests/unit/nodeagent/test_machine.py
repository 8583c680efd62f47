import pytest

from nodeagent.machine import load_per_core, memory_bytes, package_celsius, read_machine


@pytest.fixture
def hwmon(tmp_path):
    root = tmp_path / "hwmon"
    root.mkdir()

    def chip(number, name, **sensors):
        folder = root / f"hwmon{number}"
        folder.mkdir()
        (folder / "name").write_text(f"{name}\n")
        for sensor, text in sensors.items():
            (folder / sensor).write_text(f"{text}\n")

    chip.root = root
    return chip


def test_load_is_divided_by_the_cores(tmp_path):
    (tmp_path / "loadavg").write_text("3.00 2.00 1.00 1/100 4242\n")
    assert load_per_core(tmp_path, 4) == 0.75


def test_memory_that_could_be_freed_is_not_used(tmp_path):
    (tmp_path / "meminfo").write_text("MemTotal: 1000 kB\nMemFree: 10 kB\nMemAvailable: 400 kB\n")
    assert memory_bytes(tmp_path) == (600 * 1024, 1000 * 1024)


def test_what_cannot_be_read_is_zero(tmp_path):
    assert (load_per_core(tmp_path, 4), memory_bytes(tmp_path)) == (0.0, (0, 0))


def test_this_machine_can_be_read():
    machine = read_machine()
    assert machine.memory_total_bytes > machine.memory_used_bytes > 0
    assert machine.load >= 0.0


def test_intels_package_counts_not_its_cores(hwmon):
    hwmon(0, "nvme", temp1_input=99000)
    hwmon(1, "coretemp", temp1_input=61000, temp1_label="Package id 0", temp2_input=70000, temp2_label="Core 0")
    assert package_celsius(hwmon.root) == 61.0


def test_amds_die_counts_not_its_control_value(hwmon):
    hwmon(0, "k10temp", temp1_input=82000, temp1_label="Tctl", temp2_input=72000, temp2_label="Tdie")
    assert package_celsius(hwmon.root) == 72.0


def test_of_two_packages_the_hotter_counts(hwmon):
    hwmon(0, "coretemp", temp1_input=61000, temp1_label="Package id 0")
    hwmon(1, "coretemp", temp1_input=91500, temp1_label="Package id 1")
    assert package_celsius(hwmon.root) == 91.5


def test_a_sensor_without_a_label_counts_as_well(hwmon):
    hwmon(0, "k10temp", temp1_input=55000)
    assert package_celsius(hwmon.root) == 55.0


@pytest.mark.parametrize("text", ["", "hot", "0", "-128000", "65535000"])
def test_a_sensor_that_talks_nonsense_counts_as_none(hwmon, text):
    hwmon(0, "coretemp", temp1_input=text, temp1_label="Package id 0")
    assert package_celsius(hwmon.root) is None


def test_without_sensors_there_is_no_temperature(hwmon, tmp_path):
    hwmon(0, "acpitz", temp1_input=55000)
    assert package_celsius(hwmon.root) is None
    assert package_celsius(tmp_path / "nothing") is None

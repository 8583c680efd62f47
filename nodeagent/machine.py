"""What the machine says of itself, read from the kernel's files; the paths can be others for tests."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

log = logging.getLogger(__name__)

PROC = Path("/proc")
HWMON = Path("/sys/class/hwmon")
# Intel's and AMD's package sensors. Others (a disk, a network card) say nothing about the models.
_CHIPS = ("coretemp", "k10temp")
# Of a chip's sensors, whose label starts so stand for the package; AMD's Tctl is Tdie with an offset for the fan.
_PACKAGE_LABELS = ("Package id", "Tdie", "Tctl")
# A driver that has lost its chip answers 0 or absurd numbers.
_PLAUSIBLE = (1.0, 150.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """One look at the machine."""

    cores: int
    load: float  # 1-minute load average per core
    memory_used_bytes: int
    memory_total_bytes: int
    celsius: float | None  # None where there is no sensor


def read_machine(*, proc: Path = PROC, hwmon: Path = HWMON, cores: int | None = None) -> Machine:
    """Look at the machine once.

    Args:
        proc: where the kernel shows its figures.
        hwmon: where it shows its sensors; need not exist.
        cores: of the machine; counted when left out.

    Returns:
        What was found; numbers that cannot be read are 0.
    """
    used, total = memory_bytes(proc)
    cores = cores or os.cpu_count() or 1
    return Machine(
        cores=cores,
        load=load_per_core(proc, cores),
        memory_used_bytes=used,
        memory_total_bytes=total,
        celsius=package_celsius(hwmon),
    )


def load_per_core(proc: Path, cores: int) -> float:
    """Return the load average of the last minute, divided by the cores.

    Args:
        proc: where the kernel shows its figures.
        cores: of the machine.

    Returns:
        1.0 when every core is busy; 0.0 when it cannot be read.
    """
    words = _read(proc / "loadavg").split()
    return float(words[0]) / cores if words else 0.0


def memory_bytes(proc: Path) -> tuple[int, int]:
    """Return how much memory is used, and how much there is.

    Args:
        proc: where the kernel shows its figures.

    Returns:
        Bytes that are not available to a new program, and all bytes; zeros when they cannot be read.
    """
    rows = (line.split() for line in _read(proc / "meminfo").splitlines())
    kilobytes = {row[0].rstrip(":"): int(row[1]) for row in rows if len(row) > 1}
    total = kilobytes.get("MemTotal", 0)
    return (total - kilobytes.get("MemAvailable", total)) * 1024, total * 1024


def package_celsius(hwmon: Path) -> float | None:
    """Return the temperature of the hottest processor package.

    Args:
        hwmon: where the kernel shows its sensors.

    Returns:
        Degrees; None where there is no such sensor or none can be read.
    """
    found = [celsius for chip in _chips(hwmon) if (celsius := _chip_celsius(chip)) is not None]
    return max(found, default=None)


def _chips(hwmon: Path) -> Iterator[Path]:
    for chip in sorted(hwmon.glob("*")):
        if _read(chip / "name").strip() in _CHIPS:
            yield chip


def _chip_celsius(chip: Path) -> float | None:
    by_label: dict[str, float] = {}
    for sensor in sorted(chip.glob("temp*_input")):
        celsius = _degrees(_read(sensor))
        if celsius is not None:
            label = _read(sensor.with_name(sensor.name.replace("_input", "_label"))).strip()
            by_label[label or sensor.name] = celsius
    for wanted in _PACKAGE_LABELS:
        package = [celsius for label, celsius in by_label.items() if label.startswith(wanted)]
        if package:
            return max(package)
    return max(by_label.values(), default=None)


def _degrees(text: str) -> float | None:
    try:
        celsius = int(text) / 1000
    except ValueError:
        return None
    return celsius if _PLAUSIBLE[0] <= celsius <= _PLAUSIBLE[1] else None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        # Labels are often missing, and a sensor may be there and refuse to be read.
        log.debug("%s: %s", path, error)
        return ""

"""Where the broker is: one setting, spelt as Celery and as redis-py want it.

Without `REDIS_URL` it is the embedded broker's socket in the data folder. A unix socket's path may be 107 bytes long at
most, so a deep data folder gets a short path in a private temporary folder, noted in a file beside the usual place.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from urllib.parse import parse_qs, quote, unquote, urlsplit

from memory.settings import Settings

# sun_path of Linux is 108 bytes with the closing zero; macOS has 104.
SOCKET_PATH_BYTES = 103


def socket_file(data_dir: str | Path) -> Path:
    """Return the path of the embedded broker's socket.

    Args:
        data_dir: the data folder; need not exist.

    Returns:
        The usual place when it is short enough, else the noted one, else the usual place although nothing can listen
        there (whoever connects is told that the broker is down).
    """
    usual = Path(data_dir).absolute() / "run" / "broker.sock"
    note = usual.with_suffix(".path")
    if len(os.fsencode(usual)) > SOCKET_PATH_BYTES and note.exists():
        return Path(note.read_text(encoding="utf-8"))
    return usual


def choose_socket_file(data_dir: str | Path) -> Path:
    """Return a path that a broker can listen on, making its folder, readable by this user only.

    Args:
        data_dir: the data folder.

    Returns:
        A path of at most `SOCKET_PATH_BYTES` bytes.
    """
    run = Path(data_dir).absolute() / "run"
    # One by one: the mode is that of the last folder of a call only.
    run.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    run.mkdir(exist_ok=True, mode=0o700)
    path = socket_file(data_dir)
    if len(os.fsencode(path)) <= SOCKET_PATH_BYTES and _private(path.parent):
        return path
    short = Path(tempfile.mkdtemp(prefix="memlane-", dir="/tmp")) / "broker.sock"
    (run / "broker.path").write_text(str(short), encoding="utf-8")
    return short


def _private(folder: Path) -> bool:
    # A temporary folder may have been cleaned away, or made again by somebody else.
    try:
        return folder.stat().st_uid == os.getuid()
    except FileNotFoundError:
        return False


def redis_url(settings: Settings) -> str:
    """Return the broker's address for redis-py.

    Args:
        settings: of this process.

    Returns:
        `REDIS_URL` when set, else `unix://` and the socket of the data folder.
    """
    return settings.redis_url or f"unix://{quote(str(socket_file(settings.data_dir)))}"


def celery_url(settings: Settings) -> str:
    """Return the broker's address for Celery, whose name for a unix socket is another.

    Args:
        settings: of this process.

    Returns:
        A `redis://`, `rediss://` or `redis+socket://` URL.
    """
    url = redis_url(settings)
    if not url.startswith("unix://"):
        return url
    parts = urlsplit(url)
    database = parse_qs(parts.query).get("db", ["0"])[0]
    login = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
    return f"redis+socket://{login}{quote(unquote(parts.path))}?virtual_host={database}"

"""docs/howto/nginx.md: what it sets follows the settings, each location is held back, and none forgets who asks."""

import re
from pathlib import Path

import pytest

from api.openapi.bare import bare_app
from memory.settings import Settings

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "nginx.md"
MEGABYTE = 1024 * 1024


def server():
    """Return the configuration, without comments."""
    (block,) = re.findall(r"```nginx\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return re.sub(r"#.*", "", block)


def locations():
    """Return what each location that passes requests on has, by its name."""
    found = re.findall(r"^    location ([^{@]+) \{\n(.*?)^    \}", server(), re.DOTALL | re.MULTILINE)
    return {name.strip(): body for name, body in found}


def megabytes(text):
    (found,) = re.findall(r"client_max_body_size (\d+)m;", text)
    return int(found)


@pytest.mark.parametrize(
    ("location", "setting"),
    [
        (None, "max_body_bytes"),
        ("= /v3/documents/file", "max_file_bytes"),
        ("= /v1/import", "max_import_bytes"),
    ],
)
def test_a_body_may_be_a_little_larger_than_the_setting_and_no_more(location, setting):
    outside = re.sub(r"^    location .*?^    \}", "", server(), flags=re.DOTALL | re.MULTILINE)
    text = locations()[location] if location else outside
    most = getattr(Settings(), setting)
    assert most < megabytes(text) * MEGABYTE <= most + MEGABYTE
    assert f"MEMLANE_{setting.upper()}" in PAGE.read_text(encoding="utf-8")


def test_only_what_needs_it_may_be_larger():
    larger = {name for name, body in locations().items() if "client_max_body_size" in body}
    assert larger == {"= /v3/documents/file", "= /v1/import"}
    rules = {rule.rule for rule in bare_app().url_map.iter_rules()}
    assert {name.removeprefix("= ") for name in larger} <= rules


def test_every_location_is_held_back_and_tells_who_asks():
    zones = set(re.findall(r"limit_req_zone \S+ zone=(\w+):", server()))
    assert len(locations()) == 4
    for name, body in locations().items():
        assert re.findall(r"limit_req zone=(\w+) ", body)[0] in zones, name
        assert "proxy_pass http://127.0.0.1:8900;" in body, name
        # What stands above holds only as long as a location sets no header of its own.
        assert "proxy_set_header" not in body, name
    for header in ("Host $host", "X-Forwarded-For $remote_addr"):
        assert f"proxy_set_header {header};" in server()


def test_control_plane_is_for_those_who_administer():
    assert "deny all;" in locations()["/v1/admin/"]

from services import health
from services.fakes import fake_host


def test_a_disk_that_is_nearly_full_is_told(tmp_path, monkeypatch):
    # given
    host = fake_host(tmp_path)
    monkeypatch.setattr(type(host.store), "free_bytes", lambda self: 5 << 20)

    # when
    said = health.health(host)

    # then
    assert said["status"] == "degraded"
    assert any("5 MB left" in warning for warning in said["warnings"])

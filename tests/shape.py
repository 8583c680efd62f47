"""The one assertion about errors: status, shape, request id, field, and nothing of our insides."""

from typing import Any


def assert_refused(
    response: Any, status: int | tuple[int, ...], *, field: str | None = None, code: str | None = None
) -> dict[str, Any]:
    """Check that a response is a refusal in the one error shape; return it."""
    statuses = status if isinstance(status, tuple) else (status,)
    text = response.get_data(as_text=True)
    assert response.status_code in statuses, f"{response.status_code}: {text}"
    assert response.mimetype == "application/json", text
    body = response.get_json()
    assert set(body) == {"error", "code", "details"}, body
    assert isinstance(body["error"], str), body
    assert body["error"].endswith("."), body
    assert body["code"].replace("_", "").isalnum(), body
    assert isinstance(body["details"], dict), body
    assert response.headers["X-Request-Id"], dict(response.headers)
    assert "Traceback" not in text
    assert ".py" not in text
    if field is not None:
        assert body["details"].get("field") == field, body
    if code is not None:
        assert body["code"] == code, body
    return body

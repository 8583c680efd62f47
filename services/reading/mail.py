"""E-mail: who wrote to whom and when, what, and the names of what was attached."""

from __future__ import annotations

from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parsedate_to_datetime
from typing import Any

from services.reading import markup
from services.reading.encodings import decode
from services.reading.extracted import Extracted
from services.reading.kinds import Kind
from services.reading.limits import ReadingLimits
from services.reading.markdown import clean, heading, tidy
from services.reading.refusals import CannotRead

_FIELDS = ("From", "To", "Cc", "Date")
# A mail that was forwarded that often is a loop.
_DEEPEST = 10


def read(body: bytes, kind: Kind, *, charset: str | None, limits: ReadingLimits) -> Extracted:
    """Return an e-mail; see `readers.read`."""
    message: Any = message_from_bytes(body, policy=policy.default)
    if not isinstance(message, EmailMessage) or not any(message.get(name) for name in ("From", "Subject", "To")):
        raise CannotRead("This is no e-mail: it has neither sender nor subject. Save the message as EML and send that.")
    subject = _field(message, "Subject")
    text, attached = _message(message, 1)
    warning = f"{len(attached)} attachments were not read: {', '.join(attached[:10])}." if attached else None
    warnings = (warning,) if warning else ()
    return Extracted(text=tidy(text), title=subject or None, warnings=warnings, date=_date(message))


def _message(message: EmailMessage, depth: int) -> tuple[str, list[str]]:
    blocks = [heading(depth, _field(message, "Subject") or "(no subject)")]
    blocks.append("\n".join(f"- {name}: {_field(message, name)}" for name in _FIELDS if _field(message, name)))
    body = _body_of(message)
    if body is not None:
        blocks.append(_text(body))
    attached = []
    for one in _attachments(message):
        inner = _forwarded(one) if depth < _DEEPEST else None
        if inner is not None:
            text, more = _message(inner, depth + 1)
            blocks.append(text)
            attached += more
        else:
            attached.append(clean(one.get_filename() or one.get_content_type()))
    if attached:
        blocks.append("Attachments:\n\n" + "\n".join(f"- {name}" for name in attached))
    return "\n\n".join(filter(None, blocks)), attached


def _field(message: EmailMessage, name: str) -> str:
    try:
        return " ".join(clean(str(message.get(name) or "")).split())
    except (ValueError, IndexError, AttributeError, TypeError):
        # The parser of structured headers stumbles over some that are not; their raw text does as well.
        raw = next((value for key, value in message.raw_items() if key.lower() == name.lower()), "")
        return " ".join(clean(str(raw)).split())


def _date(message: EmailMessage) -> str | None:
    try:
        at = parsedate_to_datetime(str(message.get("Date")))
    except (ValueError, TypeError, IndexError):
        return None
    return at.isoformat() if at.tzinfo is not None else None


def _body_of(message: EmailMessage) -> EmailMessage | None:
    """Return the plain text, or the HTML where the plain text is missing or empty."""
    plain, html = (_part(message.get_body((kind,))) for kind in ("plain", "html"))
    return plain if plain is not None and (html is None or _decoded(plain).strip()) else html


def _part(found: Any) -> EmailMessage | None:
    return found if isinstance(found, EmailMessage) else None


def _text(body: EmailMessage) -> str:
    text = _decoded(body)
    return markup.to_markdown(text) if body.get_content_type() == "text/html" else clean(text)


def _decoded(part: EmailMessage) -> str:
    raw = part.get_payload(decode=True)
    return decode(raw, part.get_content_charset())[0] if isinstance(raw, bytes) else ""


def _attachments(message: EmailMessage) -> list[EmailMessage]:
    try:
        return [one for one in message.iter_attachments() if isinstance(one, EmailMessage)]
    except (AttributeError, TypeError, KeyError):
        return []


def _forwarded(part: EmailMessage) -> EmailMessage | None:
    if part.get_content_type() != "message/rfc822":
        return None
    inner = part.get_payload()
    first = inner[0] if isinstance(inner, list) and inner else None
    return first if isinstance(first, EmailMessage) else None

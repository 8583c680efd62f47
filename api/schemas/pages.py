"""A document that is a page: what it names is looked at before it is kept, as far as that needs nobody else."""

from __future__ import annotations

from typing import Annotated, Any, Protocol, Self, TypeVar

from pydantic import AfterValidator, Field, ValidationInfo
from pydantic_core import PydanticCustomError

from memory.errors import UrlRefused
from memory.records import NewSource
from memory.settings import Settings
from services import pages
from services.fetching.targets import URL_CHARACTERS, is_only_url

Sourced = TypeVar("Sourced", bound="WithSource")
AS_TEXT = "To keep a URL as a text and not the page, send `type`: `text`."


class WithSource(Protocol):
    """A request that may name a text or a page."""

    @property
    def content(self) -> str | None:
        """The text."""
        ...

    @property
    def url(self) -> str | None:
        """The page."""
        ...

    @property
    def type(self) -> str | None:
        """What the document is said to be."""
        ...

    def model_copy(self, *, update: Any = None) -> Self:
        """Return the request with other values."""
        ...


def page_url(text: str, info: ValidationInfo, *, field: str | None = None) -> str:
    """Return the URL of a page that may be fetched, in its plain form.

    Args:
        text: as it was sent.
        info: of the validation; its context is the settings.
        field: where it stands, when only the whole schema is known to the validator.
    """
    try:
        return pages.page(text, info.context or Settings()).url or ""
    except UrlRefused as error:
        details = {**error.details, "hint": AS_TEXT} if field else dict(error.details)
        carried = {"message": error.message, "refused": UrlRefused, "details": details}
        raise PydanticCustomError("refused", "{message}", carried | ({"field": field} if field else {})) from error


def named_page(content: str | None, document_type: str | None, info: ValidationInfo) -> str | None:
    """Return the URL that a document's content is; None when it is a text.

    Args:
        content: as it was sent.
        document_type: as it was sent; `text` says that the content is meant as it stands.
        info: of the validation.
    """
    if content is None or document_type == "text" or not is_only_url(content):
        return None
    return page_url(content, info, field="content")


def page_source(url: str | None) -> NewSource | None:
    """Return a page's URL as services take it; None for none."""
    return NewSource(kind="url", url=url) if url is not None else None


def one_source(sent: Sourced, info: ValidationInfo) -> Sourced:
    """Return a request that names one source: a text, or a page by its `url` alone.

    Args:
        sent: with `content`, `url` and `type`.
        info: of the validation.
    """
    if sent.content is not None and sent.url is not None:
        raise PydanticCustomError("both", "was sent beside `content`; send one of them", {"field": "url"})
    page = named_page(sent.content, sent.type, info)
    return sent if page is None else sent.model_copy(update={"url": page, "content": None})


PageUrl = Annotated[str, Field(max_length=URL_CHARACTERS), AfterValidator(page_url)]

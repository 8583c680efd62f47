"""Every error a caller can meet, as one tree.

    MemlaneError
    ├── InvalidInput (ValueError)      the request is wrong; names the field
    │   ├── OneSpace                   a write named more than one space
    │   ├── TooLarge                   over a stated limit
    │   ├── Unreadable                 there is no text in the source that could be read
    │   ├── SecretRefused              a fact holds a secret, and the settings refuse them
    │   └── UrlRefused                 the address of a page is not one that is fetched
    ├── Unauthenticated                no key, or an unknown one
    ├── Forbidden (PermissionError)    the key may not do this
    │   └── PersonOnly                 it is for a person to decide
    ├── NotFound (LookupError)         nothing by that id in this scope
    ├── StateConflict                  the request does not fit the present state
    │   ├── NotLive                    the id is not the live version of its chain
    │   ├── HistoryDiffers             an earlier message was edited
    │   ├── Ambiguous                  the name fits more than one thing
    │   ├── AlreadyKnown               another live memory has this text
    │   ├── Erased                     it was erased and does not come back under this name
    │   └── IdempotencyMismatch        same key, other body
    ├── FetchFailed                    a page could not be fetched
    ├── NotOffered                     a part of a wire contract that is not built here
    ├── Pending                        accepted and kept, the outcome is not there yet
    ├── Busy                           too much is under way; try again soon
    ├── RateLimited                    this caller asks too often; wait
    ├── BrokerDown (ConnectionError)   the queue cannot be reached
    ├── IssuerDown (ConnectionError)   the issuer of a token cannot be reached
    ├── StoreError
    │   ├── StoreForeign               the file is not ours
    │   ├── StoreNewer                 the file was written by a newer version
    │   └── Fenced                     another writer holds a newer lease
    └── ModelError
        ├── ModelUnavailable (ConnectionError)  no answer from the model server
        ├── ModelTimeout (TimeoutError)         no answer in time
        ├── InputTooLong                        over the model's limit; split it
        ├── ModelRefused                        it answered with an error
        │   └── BadAnswer                       it answered something that was not asked for
        └── WrongModel                          a server of another kind, model or dimension

The docstring of a class is its default message and says what to do. Attributes carry data; the HTTP status of each
class is in `api/errors.py`.
"""

from __future__ import annotations

from typing import Any


class MemlaneError(Exception):
    """Memlane could not do what was asked; see the details."""

    code = "error"

    def __init__(self, message: str | None = None, **details: Any) -> None:
        """Keep the message for a person and the details for a program.

        Args:
            message: one sentence; the class docstring when left out.
            **details: JSON values, for example `field` and `hint`.
        """
        self.message = message or " ".join((self.__doc__ or "").split())
        self.details = {name: value for name, value in details.items() if value is not None}
        super().__init__(self.message)


class InvalidInput(MemlaneError, ValueError):
    """The request is not valid; correct the named field and send it again."""

    code = "invalid"


class OneSpace(InvalidInput):
    """A write names exactly one space; send one containerTag."""

    code = "one_space"


class TooLarge(InvalidInput):
    """The input is over the stated limit; send less at a time."""

    code = "too_large"


class Unreadable(InvalidInput):
    """There is no text in this source that could be read; send another file, or its text."""

    code = "unreadable"


class SecretRefused(InvalidInput):
    """This text holds a key, token, password or card number, and the setting `secrets` refuses them; leave it out."""

    code = "secret_refused"


class UrlRefused(InvalidInput):
    """This URL is not allowed; send one of a public http or https page."""

    code = "url_refused"


class Unauthenticated(MemlaneError):
    """A valid API key is needed; send it as `Authorization: Bearer <key>`."""

    code = "unauthenticated"


class Forbidden(MemlaneError, PermissionError):
    """This key may not do that; use a key with the right."""

    code = "forbidden"


class PersonOnly(Forbidden):
    """Only a person may do that; use the key of a person (`memlane keys create --actor person`)."""

    code = "person_only"


class NotFound(MemlaneError, LookupError):
    """Nothing with that id is known here; check the id and the space."""

    code = "not_found"


class StateConflict(MemlaneError):
    """The request does not fit the present state; read it again and retry."""

    code = "conflict"


class NotLive(StateConflict):
    """That id is not the live version; read the current one and retry."""

    code = "not_live"


class HistoryDiffers(StateConflict):
    """An earlier message differs from what is stored; send the history unchanged or use a new conversationId."""

    code = "history_differs"


class Ambiguous(StateConflict):
    """The name fits more than one thing; use the id."""

    code = "ambiguous"


class AlreadyKnown(StateConflict):
    """Another live memory already says this; use its id."""

    code = "already_known"


class Erased(StateConflict):
    """This was erased on request and is not taken again under this name; use a new one."""

    code = "erased"


class IdempotencyMismatch(StateConflict):
    """This Idempotency-Key was used with another body; use a new key."""

    code = "idempotency_mismatch"


class FetchFailed(MemlaneError):
    """The page could not be fetched; check that the URL opens in a browser, then retry the job."""

    code = "fetch_failed"


class NotOffered(MemlaneError):
    """There are no connections to other services here; send documents, files or addresses of pages instead."""

    code = "not_offered"


class Pending(MemlaneError):
    """The request is kept and will be carried out; ask again in a moment."""

    code = "pending"


class Busy(MemlaneError):
    """Too much is under way at the moment; nothing was kept, try again in a few seconds."""

    code = "busy"


class RateLimited(MemlaneError):
    """This key asks more often than it may; nothing was done, wait as `Retry-After` says."""

    code = "rate_limited"


class BrokerDown(MemlaneError, ConnectionError):
    """The queue cannot be reached; work that was accepted goes on when it is back."""

    code = "broker_down"


class IssuerDown(MemlaneError, ConnectionError):
    """The issuer of your token cannot be reached, and its keys are not known here yet; try again in a moment."""

    code = "issuer_down"


class StoreError(MemlaneError):
    """The store could not be used; run `memlane doctor`."""

    code = "store"


class StoreForeign(StoreError):
    """The file is not a Memlane store; choose another data folder."""

    code = "store_foreign"


class StoreNewer(StoreError):
    """The store was written by a newer Memlane; upgrade, it was left untouched."""

    code = "store_newer"


class Fenced(StoreError):
    """Another writer holds a newer lease; this commit was refused and nothing was written."""

    code = "fenced"


class ModelError(MemlaneError):
    """A model server did not answer as it should; run `memlane doctor`."""

    code = "model"


class ModelUnavailable(ModelError, ConnectionError):
    """No model server could be reached; check that one is running and try again."""

    code = "model_unavailable"


class ModelTimeout(ModelError, TimeoutError):
    """The model server did not answer in time; try again or with less input."""

    code = "model_timeout"


class InputTooLong(ModelError):
    """The input is over the model's limit; split it."""

    code = "input_too_long"


class ModelRefused(ModelError):
    """The model server answered with an error; its words are in the details."""

    code = "model_refused"


class BadAnswer(ModelRefused):
    """The model answered something that was not asked for; it is asked again, and then left undecided."""

    code = "bad_answer"


class WrongModel(ModelError):
    """The server is of another kind, model or dimension than configured; check its start flags."""

    code = "wrong_model"


def by_code(code: str) -> type[MemlaneError]:
    """Return the error class of a code; `MemlaneError` for an unknown one."""
    known: dict[str, type[MemlaneError]] = {}
    waiting: list[type[MemlaneError]] = [MemlaneError]
    while waiting:
        one = waiting.pop()
        known.setdefault(one.code, one)
        waiting += one.__subclasses__()
    return known.get(code, MemlaneError)

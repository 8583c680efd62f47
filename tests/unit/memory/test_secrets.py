"""`memory.secrets` and `memory.secret_filter`."""

import time
from dataclasses import replace

import pytest

from memory.records import Statement
from memory.secret_filter import SecretFilter
from memory.secrets import REMOVED, scan, without_secrets

# Put together here, so that no scanner takes this file for a leak.
PEM = "-----BEGIN RSA " + "PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEA7Zq\n" * 5 + "-----END RSA " + "PRIVATE KEY-----"
JWT = "eyJ" + "hbGciOiJIUzI1NiJ9." + "eyJ" + "zdWIiOiIxMjM0In0." + "dozjgNryP4J3jVmNHl0w"


@pytest.mark.parametrize(
    ("secret", "kind"),
    [
        (PEM, "private key"),
        (JWT, "token"),
        ("AKIA" + "Z7Q4M2N8Z7Q4M2N8", "API key"),
        ("ghp_" + "a1B2" * 9, "token"),
        ("sk-" + "proj-a1B2c3D4e5F6g7H8i9J0", "API key"),
        ("sk_" + "live_a1B2c3D4e5F6g7H8", "API key"),
        ("xoxb-" + "1234567890-abcdef", "token"),
        ("AIza" + "a1B2c3D4e" * 3 + "a1B2c3D4", "API key"),
        ("4111 1111 1111 1111".replace("1 1", "1 1"), None),
        ("4539 5787 6362 1486", "payment card"),
        ("378282246310005", "payment card"),
    ],
)
def test_a_secret_is_known_by_its_shape(secret: str, kind: str | None) -> None:
    found = scan(f"It is {secret} today.")
    assert [one.kind for one in found] == ([kind] if kind else [])
    if kind:
        assert without_secrets(f"It is {secret} today.") == f"It is {REMOVED} today."


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("password: hunter2x!", f"password: {REMOVED}"),
        ("DB_PASSWORD=correcthorse", f"DB_PASSWORD={REMOVED}"),
        ('"api_key": "a8f5f167f44f4964"', f'"api_key": "{REMOVED}"'),
        ("The password is Tr0ub4dor&3.", f"The password is {REMOVED}."),
        ("Das Passwort ist Geheim77", f"Das Passwort ist {REMOVED}"),
        ("postgres://app:s3cr3tpw@db.example/main", f"postgres://app:{REMOVED}@db.example/main"),
        ("**Password:** hunter2x", f"**Password:** {REMOVED}"),
        ("passphrase: correct horse battery staple", f"passphrase: {REMOVED}"),
        ("PW: hunter2x", f"PW: {REMOVED}"),
        ("The root password for db1 is hunter2x.", f"The root password for db1 is {REMOVED}."),
        ("Authorization: Basic dXNlcjpwYXNz", f"Authorization: Basic {REMOVED}"),
        ("AccountKey=" + "YWFhYWF4eXp4eXp4eXo=", f"AccountKey={REMOVED}"),
        ("It is mlk_" + "a1B2c3D4e5F6g7H8i9J0.", f"It is {REMOVED}."),
        ("ghp_" + "a1\u200bB2" * 9 + " it is", f"{REMOVED} it is"),
        ("pass\u200bword: hunter2x", f"pass\u200bword: {REMOVED}"),
        ("Authorization: Bearer abcDEF123456abcDEF123456", f"Authorization: Bearer {REMOVED}"),
    ],
)
def test_of_an_assignment_only_the_value_is_taken(text: str, clean: str) -> None:
    assert without_secrets(text) == clean


@pytest.mark.parametrize(
    "text",
    [
        "The password is stored in the vault.",
        "The password is required to be long.",
        "The password for the new server is stored in the vault.",
        "Passphrase: stored in the vault",
        "password: your password here",
        "PASSWORD=${DB_PASSWORD}",
        "Call 0043 316 8730 1234 for the order 4539578763621487.",
        "The gate code is 4417.",
        "The secret is that he bakes.",
        "commit 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",
        f"It was {REMOVED}.",
    ],
)
def test_what_only_speaks_of_secrets_is_left(text: str) -> None:
    assert without_secrets(text) == text


@pytest.mark.parametrize(
    "piece",
    [
        "password=",
        "a:b@",
        "-----BEGIN PRIVATE KEY-----\n",
        "4111 ",
        "eyJa.",
        "https://a:",
        "password for ",
        "a\u200b",
        "passphrase: a ",
    ],
)
def test_scanning_takes_time_in_proportion(piece: str) -> None:
    began = time.process_time()
    scan(piece * (200_000 // len(piece)))
    assert time.process_time() - began < 3


def statement(source: str, quote: str, text: str | None = None) -> Statement:
    start = source.index(quote)
    return Statement(
        text=text or quote, quote=quote, start=start, end=start + len(quote), speaker=None, said_at=None, said_zone=None
    )


def test_a_secret_that_only_the_source_gives_away_is_taken_from_the_statement_too() -> None:
    source = "password = blueberry9pie for the router"
    (clean, kinds) = SecretFilter(source).filtered(statement(source, source, "The router opens with blueberry9pie."))
    assert (clean.text, kinds) == (f"The router opens with {REMOVED}.", ("password",))
    assert clean.quote == f"password = {REMOVED} for the router"


def test_a_piece_of_a_key_that_was_cut_apart_is_no_statement() -> None:
    source = f"This is the key.\n{PEM}\nIt is old."
    (clean, kinds) = SecretFilter(source).filtered(statement(source, "MIIEpAIBAAKCAQEA7Zq"))
    assert (clean.text, clean.quote, kinds) == (REMOVED, REMOVED, ("private key",))
    (other, none) = SecretFilter(source).filtered(statement(source, "It is old."))
    assert (other.text, none) == ("It is old.", ())


def test_who_said_it_is_told_without_a_secret() -> None:
    source = "The router stands in the hall."
    told = replace(statement(source, source), speaker="password: blueberry9pie")
    (clean, kinds) = SecretFilter(source).filtered(told)
    assert (clean.speaker, clean.text, kinds) == (f"password: {REMOVED}", source, ())

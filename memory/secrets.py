"""Finds secrets in a text by their shape: private keys, tokens, passwords, payment cards. Never keeps or logs one."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Literal

import regex

# What the setting `secrets` may be.
Policy = Literal["allow", "redact", "refuse"]
POLICIES: tuple[Policy, ...] = ("allow", "redact", "refuse")
REMOVED = "[secret removed]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """Where a text holds a secret, and of which kind; not the secret."""

    start: int  # character offset
    end: int  # exclusive
    kind: str  # for a person: "private key", "API key", "token", "password", "payment card"


_EDGE = r"(?<![A-Za-z0-9_/+-])"
# Shapes that issuers publish so that they can be found. Sources: the secret-scanning pages of GitHub, AWS, Google
# Cloud, Slack, Stripe, GitLab, npm, PyPI, SendGrid, OpenAI, Anthropic and Hugging Face.
_SHAPES: tuple[tuple[str, regex.Pattern[str]], ...] = (
    ("private key", regex.compile(
        r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?!-----END )[\s\S]){0,20000}+(?:-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----)?")),
    ("private key", regex.compile(r"PuTTY-User-Key-File-\d:[\s\S]{0,20000}?Private-MAC: *[0-9a-f]+")),
    ("private key", regex.compile(_EDGE + r"AGE-SECRET-KEY-1[0-9A-Z]{40,}")),
    ("token", regex.compile(_EDGE + r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}")),
    ("API key", regex.compile(_EDGE + r"(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Za-z])")),
    ("API key", regex.compile(_EDGE + r"AIza[0-9A-Za-z_-]{35}")),
    ("token", regex.compile(_EDGE + r"(?:gh[pousr]_[0-9A-Za-z]{36,}|github_pat_[0-9A-Za-z_]{40,})")),
    ("token", regex.compile(_EDGE + r"(?:glpat|gldt|glrt)-[0-9A-Za-z_-]{20,}")),
    ("token", regex.compile(_EDGE + r"xox[abeoprs]-[0-9A-Za-z-]{10,}")),
    ("token", regex.compile(r"https://hooks\.slack\.com/services/[A-Z0-9]+/[A-Z0-9]+/[0-9A-Za-z]{16,}")),
    ("API key", regex.compile(_EDGE + r"(?:sk|rk|whsec)_(?:live_|test_)?[0-9A-Za-z]{16,}")),
    ("API key", regex.compile(_EDGE + r"sk-(?:proj-|ant-|or-|svcacct-)?[0-9A-Za-z_-]{20,}")),
    ("token", regex.compile(_EDGE + r"hf_[0-9A-Za-z]{30,}")),
    ("token", regex.compile(_EDGE + r"npm_[0-9A-Za-z]{36}")),
    ("token", regex.compile(_EDGE + r"pypi-[0-9A-Za-z_-]{50,}")),
    ("API key", regex.compile(_EDGE + r"SG\.[0-9A-Za-z_-]{16,}\.[0-9A-Za-z_-]{30,}")),
    ("token", regex.compile(_EDGE + r"\d{8,10}:AA[0-9A-Za-z_-]{33}")),
    ("API key", regex.compile(_EDGE + r"mlk_[0-9A-Za-z_-]{16,}")),  # our own
    ("password", regex.compile(
        r"(?i)\bauthorization[\"']?\s*[:=]\s*[\"']?basic\s+(?P<secret>[0-9A-Za-z+/_-]{8,}={0,2})")),
    ("API key", regex.compile(
        r"(?i)\b(?:account|shared[ _-]?access)[ _-]?key\s*[=:]\s*(?P<secret>[0-9A-Za-z+/]{16,}={0,2})")),
    ("password", regex.compile(
        r"(?i)\bpass[ -]?phrase[*_]{0,3}\s*[:=][*_]{0,3}\s*(?!(?:stored|kept|required|your|see|as|in|the|a|not?)\b)"
        r"(?P<secret>[\p{L}\p{N}-]{2,30}(?: [\p{L}\p{N}-]{2,30}){2,9}+)")),
    ("token", regex.compile(r"(?i:\bbearer)\s+(?P<secret>[0-9A-Za-z._~+/-]{20,}=*)")),
    # user:password@host
    ("password", regex.compile(r"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@]{0,100}:(?P<secret>[^\s/@]{3,200})@")),
)  # fmt: skip
_NAMES = (
    r"pass(?:word|wd|[ -]?phrase|code)?|pwd|pw|passwort|kennwort|contraseña|mot\s+de\s+passe|senha|пароль|"
    r"密码|パスワード|secret(?:[_ -]?key)?|client[_ -]?secret|api[_ -]?key|"
    r"access[_ -]?(?:key|token)|auth[_ -]?token|private[_ -]?key|"
    r"(?:secret|session|refresh)[_ -]?token"
)
# name = value, name: "value", and "the password is value" when the value looks like one.
_ASSIGNED = regex.compile(
    rf"(?i)(?<![\p{{L}}])(?:[A-Za-z0-9]+[_-]){{0,4}}(?:{_NAMES})[\"'`*]{{0,3}}"
    # "the password for the router is", "**Password:** "
    r"(?:\s(?:for|of|on|to|für|von|pour|de|para)\s[^\n.:=?!]{1,60}?)?\s*"
    r"(?P<joint>=>|:=|[=:：]|\bis\b|\bist\b|\best\b|\bes\b)"
    r"(?:[*_]{1,3}\s)?\s*(?:[\"“'`*](?P<secret>[^\"”'`*\n]{4,200})[\"”'`*]|(?P<secret>[^\s\"'`<>]{4,200}))"
)
# A card's digits in groups as they are printed; 13 to 19 of them.
_CARD = regex.compile(r"(?<![\d.,/+-])(?:\d[ -]?){12,18}\d(?![\d/-])")
_CARD_STARTS = ("4", "51", "52", "53", "54", "55", "2", "34", "37", "6", "30", "36", "38", "35")
# Characters that nobody sees; inside a key they would hide it.
_INVISIBLE = regex.compile(r"[\u00AD\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFE00-\uFE0F\uFEFF]")
# Values that stand for one.
_PLACEHOLDER = regex.compile(
    r"(?i)^(?:[x*•._-]+$|<|\$|%|\{\{|\[|your|example|os\.environ|"
    r"(?:none|null|nil|true|false|required|optional|missing|wrong|correct|empty|unknown|changeme|redacted|hidden|stored|"
    r"kept|set|string|str|text)\b)"
)
# Random characters have over 3 bits each; words that name a setting have not.
_RANDOM_BITS = 2.5


def scan(text: str) -> tuple[Secret, ...]:
    """Find the secrets of a text.

    Args:
        text: any text; linear in its length.

    Returns:
        Their spans in order, without overlaps; of an assignment only the value. Characters that nobody sees
        hide nothing.
    """
    hidden = [found.start() for found in _INVISIBLE.finditer(text)]
    if not hidden:
        return _scan(text)
    plain = _INVISIBLE.sub("", text)
    unseen = set(hidden)
    places = [place for place in range(len(text)) if place not in unseen]
    return tuple(Secret(start=places[one.start], end=places[one.end - 1] + 1, kind=one.kind) for one in _scan(plain))


def _scan(text: str) -> tuple[Secret, ...]:
    spans = [
        Secret(start=start, end=end, kind=kind)
        for kind, shape in _SHAPES
        for start, end in map(_span, shape.finditer(text))
    ]
    spans += [Secret(start=start, end=end, kind="password") for start, end in _assigned(text)]
    spans += [
        Secret(start=found.start(), end=found.end(), kind="payment card")
        for found in _CARD.finditer(text)
        if _is_card(found[0])
    ]
    return _merged(spans)


def without_secrets(text: str) -> str:
    """Return a text with "[secret removed]" in the place of each secret."""
    parts, done = [], 0
    for one in scan(text):
        parts += [text[done : one.start], REMOVED]
        done = one.end
    return "".join([*parts, text[done:]])


def _span(found: regex.Match[str]) -> tuple[int, int]:
    return found.span("secret") if "secret" in found.re.groupindex else found.span()


def _assigned(text: str) -> list[tuple[int, int]]:
    spans = []
    for found in _ASSIGNED.finditer(text):
        start, end = found.span("secret")
        value = text[start:end].rstrip(".,;:)]}")
        written = found["joint"].casefold() in ("=", ":", "=>", ":=", "：")
        if value and not _PLACEHOLDER.match(value) and (_looks_random(value) or (written and _looks_chosen(value))):
            spans.append((start, start + len(value)))
    return spans


def _looks_random(value: str) -> bool:
    """Tell whether a value mixes kinds of characters as a password or key does."""
    kinds = sum(bool(regex.search(kind, value)) for kind in (r"\p{Ll}", r"\p{Lu}", r"\p{N}", r"[^\p{L}\p{N}\s]"))
    return " " not in value and len(value) >= 6 and kinds >= 2 and _bits(value) >= 2.0


def _looks_chosen(value: str) -> bool:
    """Tell whether a value that follows `password =` may be one although it is a plain word."""
    return " " not in value and len(value) >= 6 and _bits(value) >= _RANDOM_BITS


def _bits(value: str) -> float:
    """Return the entropy of a value's characters, in bits for each."""
    shares = [count / len(value) for count in Counter(value).values()]
    return -sum(share * math.log2(share) for share in shares)


def _is_card(written: str) -> bool:
    """Check a number as issuers do (Luhn); numbers of one digit and plain series are samples."""
    digits = [int(digit) for digit in written if digit.isdigit()]
    if not "".join(map(str, digits)).startswith(_CARD_STARTS) or len(set(digits)) < 3:
        return False
    doubled = [digit if place % 2 == 0 else digit * 2 - 9 * (digit > 4) for place, digit in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0


def _merged(spans: list[Secret]) -> tuple[Secret, ...]:
    kept: list[Secret] = []
    for one in sorted(spans, key=lambda secret: (secret.start, -secret.end)):
        if kept and one.start < kept[-1].end:
            end = max(kept[-1].end, one.end)
            kept[-1] = Secret(start=kept[-1].start, end=end, kind=kept[-1].kind)
        else:
            kept.append(one)
    return tuple(kept)

"""Tells lines of code from sentences, where nothing around them says so: a source file or a patch handed in as text."""

from __future__ import annotations

import regex

# What a sentence may quote: code in ticks, and addresses.
_QUOTED = regex.compile(r"(?<!`)(`++)[^`]++\1|https?://\S++|[\w.+-]++@[\w.-]++")
_WORD = regex.compile(r"\p{L}+")
# Signs that prose hardly uses, each counted once: brackets, operators, calls, dotted and snake_case names.
_SIGN = regex.compile(
    r"[{}\[\];\\|$@^~<>]|[=!+*/:-]?=|->|::|\"\"\"|(?<=\p{L})\(|(?<=[\p{L}\p{N}])_(?=[\p{L}\p{N}])|__|\)\.|(?<=\p{Ll})\.(?=[\p{L}_])"
)
_CERTAIN = regex.compile(
    r"diff --git |@@ -\d|index [0-9a-f]{7,}\.\.|(?:\+\+\+|---) [ab]/"  # a patch
    r"|[+-]? ?from [\w.]+ import |[+-]? ?import [\w.]+(?: as \w+)?\Z"
    r"|[+-]? ?(?:async )?def \w+\(|[+-]? ?class \w+(?:\([\w., =\[\]]*\))?:"
    r"|\.\. (?:\|[^|]+\| )?[\w-]+::|\|[^|]+\| image::"  # a directive of reStructuredText
)
# Measured: of 528 prose statements of this project's pages none is taken for code; of 4,392 of the descriptions of
# installed packages 227, in a sample badges, drawn tables, underlined headings and interpreter sessions; of 1,696 of
# modules and patches 915, and most of the rest are docstrings and comments, which are sentences.
FEWEST_SIGNS = 3
SIGNS_A_WORD = 0.4
# Its beginning shows what a line is.
LONGEST_READ = 1000


def reads_as_code(text: str) -> bool:
    """Tell whether a line is code rather than a sentence.

    Args:
        text: one line or sentence; code that it quotes in ticks does not make it code.
    """
    line = text[:LONGEST_READ]
    if _CERTAIN.match(line):
        return True
    plain = _QUOTED.sub("x", line)
    signs = len(_SIGN.findall(plain))
    return signs >= FEWEST_SIGNS and signs >= SIGNS_A_WORD * len(_WORD.findall(plain))

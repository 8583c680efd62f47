"""Keeps the secrets of a source out of what is extracted from it."""

from __future__ import annotations

from dataclasses import replace

from memory.records import Statement
from memory.secrets import REMOVED, Secret, scan, without_secrets


class SecretFilter:
    """Takes the secrets of one source out of its statements."""

    def __init__(self, text: str, *, offset: int = 0) -> None:
        """Look for secrets once.

        Args:
            text: of the source, or the part of it that was extracted from: a key that runs over several sentences is
                only seen in the whole.
            offset: of the text in the source that statements count from.
        """
        self._text = text
        self._offset = offset
        self._secrets = scan(text)

    def filtered(self, statement: Statement) -> tuple[Statement, tuple[str, ...]]:
        """Take the secrets out of a statement, its quote, its names and what tells who said it.

        Args:
            statement: of the source.

        Returns:
            The statement with "[secret removed]" in their places, and the kinds of the secrets; none when it has none.
        """
        near = [one for one in self._secrets if self._touches(one, statement)]
        text, quote = (self._without(written, near) for written in (statement.text, statement.quote))
        kinds = {one.kind for one in (*near, *scan(statement.text))}
        # A title may be the first line of a text: its secret is no reason to refuse every statement below it.
        statement = replace(statement, speaker=statement.speaker and without_secrets(statement.speaker))
        if not kinds:
            return statement, ()
        clean = replace(
            statement,
            text=text,
            quote=quote,
            entities=tuple(one for one in statement.entities if one.name in text),
            relations=tuple(one for one in statement.relations if one.origin in text and one.target in text),
        )
        return clean, tuple(sorted(kinds))

    def _touches(self, secret: Secret, statement: Statement) -> bool:
        start, end = statement.start - self._offset, statement.end - self._offset
        return secret.start < end and start < secret.end

    def _without(self, written: str, near: list[Secret]) -> str:
        for one in near:
            secret = self._text[one.start : one.end]
            if secret in written:
                written = written.replace(secret, REMOVED)
            elif " ".join(secret.split()) in written:
                written = written.replace(" ".join(secret.split()), REMOVED)
            elif len(written) > 0 and self._is_part(written, secret):
                return REMOVED
        return without_secrets(written)

    @staticmethod
    def _is_part(written: str, secret: str) -> bool:
        """Tell whether a text is a piece of a secret that was cut apart, such as one line of a key."""
        words = [word for word in written.split() if len(word) >= 12]
        return any(word in secret for word in words)

"""The part of the client that changes the embedding model."""

from __future__ import annotations

from memlane.connected import Connected, Json
from memlane.transport import Repeat


class Generations(Connected):
    """Vectors by the model that made them; every call returns `{"configured", "generations", "jobs", "warning"}`."""

    def generations(self) -> Json:
        """Return every generation with how far it is, and the jobs that embed anew."""
        return self._get("/v1/generations")

    def start_generation(self) -> Json:
        """Embed what has no vector of the configured model, after all other work."""
        return self._post("/v1/generations", {}, repeat=Repeat.UNSENT)

    def switch_generation(self, generation: int) -> Json:
        """Let a complete generation serve."""
        return self._post(f"/v1/generations/{generation}/switch", {}, repeat=Repeat.UNSENT)

    def roll_back_generation(self, generation: int) -> Json:
        """Let a generation that has served before serve again."""
        return self._post(f"/v1/generations/{generation}/rollback", {}, repeat=Repeat.UNSENT)

    def drop_generation(self, generation: int) -> Json:
        """Delete the vectors of a generation for good."""
        path = f"/v1/generations/{generation}"
        answer: Json = self._transport.call("DELETE", path, repeat=Repeat.UNSENT)
        return answer

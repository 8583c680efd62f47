"""The nodes of the fleet: which serve, and taking them out of their lanes for a while."""

from __future__ import annotations

from collections.abc import Sequence

from memlane.connected import Connected, Json, body


class Nodes(Connected):
    """The part of the client that looks after nodes."""

    def lanes(self) -> Json:
        """Return which nodes serve which lane."""
        return self._get("/v1/lanes")

    def nodes(self) -> Json:
        """Return `{"nodes": [...], "warnings": [...]}`: every node with its lanes, its state and what it holds."""
        return self._get("/v1/nodes")

    def pause_nodes(self, names: Sequence[str], *, until: str | None = None, seconds: int | None = None) -> Json:
        """Take nodes out of both lanes.

        Args:
            names: of nodes.
            until: the end, ISO 8601, at most 24 hours ahead.
            seconds: the end counted from now; one of the two is needed.

        Returns:
            `{"nodes": [...], "warning"?}` of the nodes named.
        """
        return self._post("/v1/nodes/pause", body(nodes=list(names), until=until, seconds=seconds))

    def resume_nodes(self, names: Sequence[str]) -> Json:
        """End the pause of nodes; returns those named as `{"nodes": [...], "warning"?}`."""
        return self._post("/v1/nodes/resume", body(nodes=list(names)))

    def drain_nodes(self, names: Sequence[str], *, until: str | None = None, seconds: int | None = None) -> Json:
        """Pause nodes and say whether they have finished what they held.

        Args:
            names: of nodes.
            until: the end, ISO 8601; not needed for nodes that are paused already.
            seconds: the end counted from now.

        Returns:
            `{"drained": bool, "nodes": [...], "warning"?}` of the nodes named.
        """
        return self._post("/v1/nodes/drain", body(nodes=list(names), until=until, seconds=seconds))

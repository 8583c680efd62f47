"""The daemon of a node: probes its model servers, keeps them running, and says in the broker how the node is."""

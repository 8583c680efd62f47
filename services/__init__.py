"""Use cases, one function each; wiring modules are the composition roots."""

"""The contract in writing: an OpenAPI 3.1 document made of the operations, the readable page, the reference."""

"""What the routes answer, by subject: models that document and are verified by tests; rendering is `api/render*.py`."""

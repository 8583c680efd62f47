"""Running the stack: supervisor, doctor, demo."""

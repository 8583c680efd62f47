"""Flask: parse, call one service, render."""

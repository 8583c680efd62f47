"""`python -m ops up` and `python -m ops demo`, for a checkout whose commands are not installed."""

from __future__ import annotations

import click

from ops import commands

if __name__ == "__main__":
    click.Group(name="ops", commands={"up": commands.up, "demo": commands.demo})()

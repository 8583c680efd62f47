"""Groups of commands with one that is meant when none is named."""

import click


class ListsByDefault(click.Group):
    """A group whose first command is `list` when none is named."""

    default = "list"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the first command in front of options that stand alone."""
        named = args and (not args[0].startswith("-") or args[0] in ("-h", "--help"))
        return super().parse_args(ctx, args if named else [self.default, *args])


class ShowsByDefault(ListsByDefault):
    """A group whose first command is `show` when none is named."""

    default = "show"

"""`memlane tags`: list, show, merge, merging, delete, deleted, restore."""

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from memlane.call import WORDS, Call, asks
from memlane.errors import MemlaneError, NotFound, StateConflict
from memlane.groups import ListsByDefault
from memlane.progress import amount
from memlane.render import Block, Rows
from memlane.tags import how_far, is_merging, merged

Json = Mapping[str, Any]
DELETION = "del_"
tag = click.argument("tag", type=WORDS, metavar="TAG")


@click.group(cls=ListsByDefault)
def tags() -> None:
    """List container tags (the default), merge, delete, restore."""


@tags.command("list")
@asks
def list_tags(call: Call) -> None:
    """List the tags that the key may use, in the order they were made."""
    call.output.show(list(call.client.tags()), tags_view)


@tags.command()
@tag
@asks
def show(call: Call, tag: str) -> None:
    """Show a tag with its settings."""
    found = call.client.tag(tag)
    call.output.show(found, tag_view)
    call.warn(found)


@tags.command()
@click.argument("sources", nargs=-1, required=True, type=WORDS, metavar="TAG...")
@click.option("--into", "target", required=True, type=WORDS, metavar="TAG", help="Where everything moves to.")
@click.option("--wait/--no-wait", default=True, help="Wait until it has ended (the default), or only ask for it.")
@click.option("--yes", is_flag=True, help="Merge without asking.")
@asks
def merge(call: Call, sources: tuple[str, ...], target: str, wait: bool, yes: bool) -> int:
    """Move everything of some tags into another one, which is made when it is new.

    Ids stay, and so does how long each memory is kept. A merge is not undone. Ctrl-C ends the waiting, not the merge.
    """
    if not yes and not _agreed(call, sources, target):
        return 0
    found = call.client.merge_tags(sources, target)
    if wait:
        with amount(call.output.errors, f"into {target}") as tell:
            found = merged(call.client, found, tell=lambda seen: tell(*how_far(seen)), pause=time.sleep)
    call.output.show(found, merge_view)
    return _code(found)


@tags.command("merging")
@click.argument("merge_id", type=WORDS, metavar="ID")
@asks
def merging(call: Call, merge_id: str) -> int:
    """Show how far a merge is."""
    found = call.client.merge(merge_id)
    call.output.show(found, merge_view)
    return _code(found)


@tags.command()
@tag
@asks
def delete(call: Call, tag: str) -> None:
    """Put a tag away with all that is in it, until it is restored.

    To have it gone for good: `memlane erase --space`.
    """
    gone = call.client.delete_tag(tag)
    call.output.show(gone, deleted_view)
    call.output.note(f"`memlane tags restore {gone['deletionId']}` gives it back.")


@tags.command()
@asks
def deleted(call: Call) -> None:
    """List what was deleted and can be restored, newest first."""
    call.output.show(list(call.client.deleted_tags()), deletions_view)


@tags.command()
@click.argument("deletion", type=WORDS, metavar="ID|TAG")
@click.option("--as", "name", type=WORDS, metavar="TAG", help="Another name, where its own is in use again.")
@asks
def restore(call: Call, deletion: str, name: str | None) -> None:
    """Give a tag back with all that was in it, by the id of its deletion or by its name."""
    chosen = deletion if deletion.startswith(DELETION) else _deletion_of(call, deletion)
    call.output.show(call.client.restore_tag(chosen, name=name), tag_view)


def _agreed(call: Call, sources: Sequence[str], target: str) -> bool:
    """Ask, where somebody can answer."""
    if call.output.as_json or not sys.stdin.isatty():
        raise click.UsageError("Nothing was changed; a merge is not undone, so say --yes to merge.")
    if click.confirm(f"Move everything of {', '.join(sources)} into {target}? This is not undone.", err=True):
        return True
    call.output.note("Nothing was changed.")
    return False


def _deletion_of(call: Call, name: str) -> str:
    """Return the only deletion of a tag of that name.

    Raises:
        NotFound: there is none.
        StateConflict: there are several.
    """
    found = [str(one["id"]) for one in call.client.deleted_tags() if one["container_tag"] == name]
    if not found:
        raise NotFound(f"No tag {name!r} was deleted; see `memlane tags deleted`.", code="not_found")
    if len(found) > 1:
        raise StateConflict(f"Several tags {name!r} were deleted; name one of {', '.join(found)}.", code="ambiguous")
    return found[0]


def _code(found: Json) -> int:
    if found["status"] == "failed":
        raise MemlaneError(f"The merge failed: {found.get('lastError')}", code="merge_failed")
    return 0


def tags_view(found: Sequence[Json]) -> Iterator[Block]:
    """Show tags with their counts."""
    rows = [
        (one["containerTag"], one["name"], one["documentCount"], one["memoryCount"], one["updatedAt"]) for one in found
    ]
    yield Rows(columns=("tag", "name", "documents", "memories", "changed"), rows=rows)


def tag_view(found: Json) -> Iterator[Block]:
    """Show one tag with its settings."""
    paths = found.get("memoryFilesystemPaths")
    rows = [
        ("name", found["name"]), ("documents", found["documentCount"]), ("memories", found["memoryCount"]),
        ("about", found.get("entityContext")), ("teaching paths", "all" if paths is None else ", ".join(paths)),
        *((f"bucket {one['key']}", one["description"]) for one in found.get("profileBuckets", ())),
    ]  # fmt: skip
    yield str(found["containerTag"])
    yield Rows(columns=("setting", "value"), rows=rows)


def merge_view(found: Json) -> Iterator[Block]:
    """Show a merge with what has moved and what is left."""
    state = "merging" if is_merging(found) else found["status"]
    yield f"{found['id']}  {', '.join(found['sourceTags'])} into {found['targetTag']}  {state}"
    names = dict.fromkeys((*found["progress"], *found["remaining"]))
    counts = [(name, found["progress"].get(name, 0), found["remaining"].get(name, 0)) for name in names]
    rows = [(name.replace("_", " "), moved, left) for name, moved, left in counts if moved or left]
    yield Rows(columns=("what", "moved", "left"), rows=rows)
    if found.get("jobId"):
        yield f"What now stands side by side is judged: memlane jobs {found['jobId']}"


def deleted_view(gone: Json) -> Iterator[Block]:
    """Show what was put away."""
    row = (gone["deletionId"], gone["containerTag"], gone["deletedDocumentsCount"], gone["deletedMemoriesCount"])
    yield Rows(columns=("deletion", "tag", "documents", "memories"), rows=[row])


def deletions_view(found: Sequence[Json]) -> Iterator[Block]:
    """Show what can be restored."""
    rows = [(one["id"], one["container_tag"], one["documents"], one["memories"], one["deleted_at"]) for one in found]
    yield Rows(columns=("deletion", "tag", "documents", "memories", "deleted"), rows=rows)

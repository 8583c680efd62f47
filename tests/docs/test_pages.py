"""What every tracked text file has to keep: links that lead somewhere, the true tree, no trace of one machine."""

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
# Folders of a developer's or a build machine; a path below one of them works nowhere else.
MACHINE_PATH = re.compile(r"(?<![\w.~])/(?:work|farm|root|home/\w+|Users/\w+|tmp/\w+)/")
TREE_LINE = re.compile(r"^[├└]── (?P<folder>[\w-]+)/", re.MULTILINE)


def tracked() -> list[Path]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    return sorted(ROOT / name for name in names if name and (ROOT / name).is_file())


FILES = tracked()
PAGES = [path for path in FILES if path.suffix == ".md"]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def anchors(page: Path) -> frozenset[str]:
    headings = re.findall(r"^#+ +(.+?) *$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return frozenset(re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings)


def links(page: Path) -> list[str]:
    blocks = MarkdownIt().parse(page.read_text(encoding="utf-8"))
    spans = [span for block in blocks for span in block.children or []]
    return [str(span.attrs.get("href") or span.attrs["src"]) for span in spans if span.type in ("link_open", "image")]


def leads_somewhere(page: Path, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = (page.parent / name).resolve() if name else page
    return target.exists() and (not anchor or (target.suffix == ".md" and anchor in anchors(target)))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_internal_links_resolve(page):
    internal = [link for link in links(page) if not re.match(r"[a-z]+:", link)]
    broken = [link for link in internal if not leads_somewhere(page, link)]
    assert not broken, f"{name_of(page)} links to {broken}."


def test_readme_tree_names_exactly_the_folders_there_are():
    told = TREE_LINE.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    found = {path.relative_to(ROOT).parts[0] for path in FILES if len(path.relative_to(ROOT).parts) > 1}
    assert sorted(told) == sorted(folder for folder in found if not folder.startswith("."))


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_no_path_of_one_machine(path):
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        pytest.skip("not a text file")
    assert not (found := MACHINE_PATH.findall(text)), f"{name_of(path)} names {found}; make it relative."


def test_the_lock_names_no_index():
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert "://" not in lock, "The lock must work with any index; make it again with `make lock`."
    assert lock.count("--hash=sha256:") > lock.count("==")

"""Compiles the library while the distribution is built, with the C compiler of the machine (`CC` names another)."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FLAGS = ["-O3", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]


class Compile(BuildHookInterface[Any]):
    """Adds the compiled library to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile into a temporary folder.

        Args:
            version: of the target, not used.
            build_data: what the wheel is made of; the library is added to it.

        Raises:
            CalledProcessError: the compiler refused; its words are on stderr.
        """
        source = Path(self.root, "memlane_native", "scan.c")
        self._folder = tempfile.TemporaryDirectory()
        library = Path(self._folder.name, "scan.so")
        compiler = shlex.split(os.environ.get("CC", "cc"))
        subprocess.run([*compiler, *FLAGS, "-o", str(library), str(source)], check=True)
        build_data["force_include"][str(library)] = "memlane_native/scan.so"
        build_data["pure_python"] = False
        build_data["infer_tag"] = False
        build_data["tag"] = self._tag()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Drop the temporary folder."""
        self._folder.cleanup()

    @staticmethod
    def _tag() -> str:
        from sysconfig import get_platform

        return "py3-none-" + get_platform().replace("-", "_").replace(".", "_")

"""Commands of the program over trees, such as drawing."""

from __future__ import annotations

import subprocess
from typing import List, Tuple

from ._process import TreebeamError


def run(program: str, arguments: List[str], conllu: str) -> Tuple[str, str]:
    """Runs a command of the program over CoNLL-U, and returns what it prints, and what it says of that."""
    said = subprocess.run([program, *arguments], input=conllu.encode("utf-8", "replace"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if said.returncode:
        raise TreebeamError(said.stderr.decode("utf-8", "replace").rstrip(), said.returncode)
    return said.stdout.decode("utf-8"), said.stderr.decode("utf-8", "replace")


def draw(conllu: str, format: str, conf: bool, program: str) -> str:
    """Returns sentences as ``tree``, ``html`` or, of one, ``svg``."""
    drawn, _ = run(program, ["show", "-", "--count", "1000000000", "--to", format, *(["--conf"] if conf else [])], conllu)
    return drawn

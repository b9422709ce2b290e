"""What the prompts of every world are held to: golden files, the form of the answer, no stray whitespace."""

from __future__ import annotations

import os
import re
from pathlib import Path

STRAY_WHITESPACE = re.compile(r"[ \t]\n|\n\n\n|[^ \n]  |\A\s|\s\Z")
_NESTED = re.compile(r"(?<=.)({[^{}]*}|\[[^\[\]]*\])")
"""What stands within a field of an answer's form, from the inside out."""


def is_golden(prompt: str, path: Path) -> bool:
    """True if a file holds the prompt; with REWRITE_GOLDEN in the environment it is written first."""
    if os.environ.get("REWRITE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{prompt}\n", "utf-8")
    return f"{prompt}\n" == path.read_text("utf-8")


def fields_asked_for(prompt: str) -> list[str]:
    """The names of an answer's fields, as the last line of the prompt shows its form."""
    form = prompt.split("# Answer\n")[1].splitlines()[-1]
    while (flat := _NESTED.sub('""', form)) != form:
        form = flat
    return re.findall(r'"(\w+)": ', form)

"""Copies of the trained networks that a run's episodes played by, so that it can be played again without the originals.

They lie beside the episodes, as `networks/<hash>/<name>.npz`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from hm_agent.models.sources import short_hash
from hm_agent.storage.files import folder_name, write_whole

FOLDER = "networks"
SUFFIX = ".npz"


def keep_networks(files: Iterable[Path], out: Path) -> None:
    """Copies networks into the folder of a run, each once."""
    for file in files:
        content = file.read_bytes()
        copy = out / FOLDER / short_hash(content) / f"{folder_name([file.stem])}{SUFFIX}"
        if not copy.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            write_whole(copy, content)


def kept_network(run: Path, digest: str) -> Path | None:
    """The copy of the network with a hash in the folder of a run; None if there is none."""
    return next(iter(sorted((run / FOLDER).glob(f"{digest}/*{SUFFIX}"))), None) if digest.isalnum() else None

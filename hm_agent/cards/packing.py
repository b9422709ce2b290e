"""One archive of a run or a card, of a size to attach to a paper, from which `hm-agent reproduce` plays again.

It is a compressed tar file with the results, traces, cards, answers and trained networks under the names that they have
in the folder. A trace has the prompts and the answers, so that whoever has the archive needs no language model.
Replays, pages, videos and reports can be made from these again, and are left out. The same folder gives the same bytes.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import IO

from hm_agent.cards.battery import CANARY
from hm_agent.cards.card import ANSWERS, FOLDER
from hm_agent.cards.card import FILE as CARD
from hm_agent.config import ConfigError
from hm_agent.models.prompts import SUFFIX
from hm_agent.process.shell import printable
from hm_agent.recording import trace
from hm_agent.recording.kept_networks import FOLDER as NETWORKS
from hm_agent.recording.kept_networks import SUFFIX as NETWORK
from hm_agent.recording.result import FILE as RESULT
from hm_agent.storage.files import TEMPLATES, read_regular, write_whole

ENDING = ".tar.gz"
HEADER_FILE = "hm_agent_pack.json"
"""The first file of an archive, which says what it is."""
HEADER = {"format": 1, "kind": "hm_agent pack", "canary": CANARY}
MOST_BYTES = 1_000_000_000
"""An archive that is larger when decompressed is refused, since it might fill the disk."""
MOST_FILES = 100_000
_MAGIC = b"\x1f\x8b"
_PART = r"[\w+-][\w.+-]*"
_EPISODE_FILES, _CARD_FILES = (RESULT, trace.FILE), (CARD, ANSWERS)
_NAMES = re.compile(
    rf"(?:{_PART}/){{4}}(?:{'|'.join(map(re.escape, _EPISODE_FILES))})"
    rf"|(?:{FOLDER}/{_PART}/{_PART}/)?(?:{'|'.join(map(re.escape, _CARD_FILES))})"
    rf"|{TEMPLATES}/(?:{_PART}/)*{_PART}{re.escape(SUFFIX)}"
    rf"|{NETWORKS}/\w+/{_PART}{re.escape(NETWORK)}",
    re.ASCII,
)
"""The files that are packed, and the only ones that are unpacked: of an episode, of a card, of prompts, of networks."""


@dataclass(frozen=True)
class Packed:
    """What was written into an archive. size: in bytes; digest: the archive's SHA-256."""

    episodes: int
    cards: int
    size: int
    digest: str


def pack_folder(folder: Path, archive: Path) -> Packed:
    """Writes a new archive of a run's or a card's folder; ConfigError if there is nothing to pack, or if it exists."""
    if archive.exists():
        raise ConfigError(f"{archive} exists already: name another file with --out")
    names = list(_names_in(folder))
    if not any(name.endswith((RESULT, CARD)) for name in names):
        raise ConfigError(f"{folder} has no episode and no card: name the folder of a run, or a card.json")
    content = BytesIO()
    with (
        gzip.GzipFile("", "wb", fileobj=content, mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        _add(tar, HEADER_FILE, json.dumps(HEADER).encode())
        for name in names:
            _add(tar, name, read_regular(folder / name))
    archive.parent.mkdir(parents=True, exist_ok=True)
    write_whole(archive, content.getvalue())
    episodes, cards = (sum(name.endswith(kind) for name in names) for kind in (RESULT, CARD))
    return Packed(episodes, cards, len(content.getbuffer()), sha256(content.getbuffer()).hexdigest())


def _names_in(folder: Path) -> Iterator[str]:
    """The files to be packed, in order, by their paths within a folder."""
    patterns = (f"*/*/*/*/{RESULT}", f"*/*/*/*/{trace.FILE}", *_CARD_FILES, *(f"{FOLDER}/*/*/{f}" for f in _CARD_FILES))
    patterns = (*patterns, f"{TEMPLATES}/**/*{SUFFIX}", f"{NETWORKS}/*/*{NETWORK}")
    found = (
        path.relative_to(folder).as_posix() for pattern in patterns for path in folder.glob(pattern) if path.is_file()
    )
    return iter(sorted(name for name in found if _NAMES.fullmatch(name)))


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(content)
    tar.addfile(member, BytesIO(content))


def is_archive(path: Path) -> bool:
    """True for a compressed file."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def unpack_archive(archive: Path, into: Path, most_bytes: int = MOST_BYTES) -> None:
    """Writes an archive's files into a new folder; raises ConfigError, in one line, if `pack_folder` did not write it.

    Whoever made the archive can't have anything written elsewhere, overwritten or linked, or the disk filled.
    """
    into.mkdir(parents=True)
    try:
        with tempfile.TemporaryFile(dir=into) as plain:
            _decompress(archive, plain, most_bytes)
            with tarfile.open(fileobj=plain, mode="r:") as tar:
                _check_header(tar)
                for count, member in enumerate(iter(tar.next, None)):
                    if count >= MOST_FILES:
                        raise ValueError(f"it has more than {MOST_FILES} files")
                    _extract(tar, member, into)
    except (OSError, EOFError, zlib.error, tarfile.TarError, ValueError, RecursionError) as error:
        raise ConfigError(f"{archive} holds no packed run: {printable(' '.join(str(error).split()))}") from error


def _decompress(archive: Path, plain: IO[bytes], most_bytes: int) -> None:
    with gzip.open(archive) as compressed:
        while part := compressed.read(1 << 20):
            if plain.tell() + len(part) > most_bytes:
                raise ValueError(f"it is larger than {most_bytes} bytes")
            plain.write(part)
    plain.seek(0)


def _check_header(tar: tarfile.TarFile) -> None:
    first = tar.next()
    text = tar.extractfile(first) if first is not None and first.name == HEADER_FILE and _is_plain(first) else None
    if text is None:
        raise ValueError(f"its first file is not {HEADER_FILE}")
    if (header := json.loads(text.read())) != HEADER:
        raise ValueError(f"{HEADER_FILE} has {str(header)[:100]}, and this version reads {HEADER}")


def _is_plain(member: tarfile.TarInfo) -> bool:
    """False for links, folders and devices, and for sparse files, whose size no content vouches for."""
    return member.type in (tarfile.REGTYPE, tarfile.AREGTYPE) and not member.issparse()


def _extract(tar: tarfile.TarFile, member: tarfile.TarInfo, into: Path) -> None:
    content = tar.extractfile(member) if _is_plain(member) and _NAMES.fullmatch(member.name) else None
    if content is None:
        raise ValueError(f"{member.name[:100]!r} is no file of a run or a card")
    target = into / member.name
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("xb") as file:  # a name that comes twice is refused
        shutil.copyfileobj(content, file)

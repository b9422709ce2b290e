"""Checks the archive of Melting Pot's trained bots before a build unpacks it; prints its SHA-256 if it may be used.

    python .ci/check_archive.py ARCHIVE RECORD

It must be a whole tar.gz with nothing but files and folders in `assets/`. No hash of it is published, so it is compared
with the variable BOTS_SHA256 or, where that is unset, with the file RECORD, which holds the hash of the archive that
was installed last, if any was. Exits with 1 and one line if something does not hold.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

FOLDER = "assets"


def problems(archive: Path, record: Path) -> Iterator[str]:
    try:
        with tarfile.open(archive, "r:gz") as content:
            outside = (member.name for member in content if not is_inside(member))
            yield from (f"{name!r} in it is no file or folder in {FOLDER}/" for name in outside)
            content.fileobj.read()  # to the end of the gzip file, whose checksum is compared there
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        yield f"it can't be read as a whole tar.gz: {error}"
    found = sha256(archive)
    if wanted := os.environ.get("BOTS_SHA256", "").strip().lower():
        if found != wanted:
            yield f"its SHA-256 is {found}, and BOTS_SHA256 {wanted}"
    elif record.exists() and found != (before := record.read_text().strip()):
        yield f"its SHA-256 is {found}, and that of the archive before {before}; if this is meant: BOTS_SHA256={found}"


def is_inside(member: tarfile.TarInfo) -> bool:
    parts = PurePosixPath(member.name).parts
    return (member.isreg() or member.isdir()) and parts[:1] == (FOLDER,) and ".." not in parts


def sha256(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def main(archive: str, record: str) -> int:
    problem = next(problems(Path(archive), Path(record)), None)
    if problem:
        print(f"{archive}: {problem}", file=sys.stderr)
        return 1
    print(sha256(Path(archive)))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

"""Archives that somebody else may have made: only files of a run come out of them, and only where they belong."""

from __future__ import annotations

import gzip
import json
import tarfile
from io import BytesIO
from pathlib import Path

import pytest

from hm_agent.cards.packing import HEADER, HEADER_FILE, is_archive, pack_folder, unpack_archive
from hm_agent.config import ConfigError

RESULT = "scenario/react/gpt-4o/episode-0/result.json"


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "", size: int = 0) -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type, made.linkname, made.size = kind, link, size
    return made


def archive_of(path: Path, *members: tarfile.TarInfo, header: object = HEADER) -> Path:
    """An archive with these members, whose content is zeros, after a header."""
    text = json.dumps(header).encode()
    with tarfile.open(path, "w:gz") as tar:
        tar.addfile(member(HEADER_FILE, size=len(text)), BytesIO(text))
        for each in members:
            tar.addfile(each, BytesIO(bytes(each.size)))
    return path


def test_what_is_packed_comes_out_and_nothing_else_is_packed(tmp_path: Path) -> None:
    run, names = tmp_path / "run", (RESULT, RESULT.replace("result.json", "trace.jsonl"), "cards/a/b/card.json")
    for name in (*names, RESULT.replace("result.json", "replay.html"), "summary.md", ".hidden/a/b/c/result.json"):
        (run / name).parent.mkdir(parents=True, exist_ok=True)
        (run / name).write_text(name)
    archive = tmp_path / "missing" / "run.tar.gz"
    packed = pack_folder(run, archive)
    assert (packed.episodes, packed.cards) == (1, 1)
    assert is_archive(archive)
    assert not any(archive.read_bytes()[4:8]), "it says when it was made"
    unpack_archive(archive, tmp_path / "again")
    found = {path.relative_to(tmp_path / "again").as_posix() for path in (tmp_path / "again").rglob("*.json*")}
    assert found == set(names)
    assert (tmp_path / "again" / RESULT).read_text() == RESULT


def test_members_that_would_lie_elsewhere_or_are_no_plain_files_are_refused(tmp_path: Path) -> None:
    up, absolute = f"../{RESULT}", f"/{RESULT}"
    bad = [member(name) for name in (up, absolute, "a/../b/c/result.json", "a/b/c/result.json", f"{RESULT}.sh", "x")]
    bad += [member(RESULT, kind, link) for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE) for link in ("/etc/passwd", "x")]
    bad += [member(RESULT, kind) for kind in (tarfile.DIRTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE)]
    for number, each in enumerate(bad):
        path = archive_of(tmp_path / "bad.tar.gz", each)
        with pytest.raises(ConfigError, match=r"bad.tar.gz holds no packed run: .* is no file of a run or a card"):
            unpack_archive(path, tmp_path / "out" / str(number))
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "bad.tar.gz"]


def test_a_name_that_comes_twice_another_format_and_a_bomb_are_refused(tmp_path: Path) -> None:
    twice = archive_of(tmp_path / "twice", member(RESULT), member(RESULT))
    later = archive_of(tmp_path / "later", header={**HEADER, "format": 2})
    bomb = archive_of(tmp_path / "bomb", member(RESULT, size=10_000_000))
    assert bomb.stat().st_size < 100_000
    for path, why in ((twice, "exists"), (later, "this version reads"), (bomb, "larger than 5000000 bytes")):
        with pytest.raises(ConfigError, match=why):
            unpack_archive(path, tmp_path / "out" / path.name, most_bytes=5_000_000)


def test_what_is_no_archive_is_refused_in_one_line(tmp_path: Path) -> None:
    whole = archive_of(tmp_path / "whole", member(RESULT, size=1000)).read_bytes()
    for number, content in enumerate((b"", b"{}", whole[:-40], gzip.compress(b"no tar"), gzip.compress(b""))):
        path = tmp_path / "broken"
        path.write_bytes(content)
        with pytest.raises(ConfigError, match="holds no packed run") as error:
            unpack_archive(path, tmp_path / "out" / str(number))
        assert "\n" not in str(error.value)

"""The set-up: its lock, what it says where a tool is missing, and which archives of bots it unpacks."""

import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]


def _locked(path: Path) -> Mapping[str, str]:
    """Versions by package."""
    pinned = re.findall(r"^([\w.-]+)==([^\s;]+)", path.read_text(), re.MULTILINE)
    return {canonicalize_name(name): version for name, version in pinned}


@pytest.mark.parametrize(("lock", "extras"), [("requirements.lock", ["dev"]), (".ci/extras.lock", None)])
def test_the_locks_hold_a_version_for_all_that_pyproject_asks_for(lock: str, extras: list[str] | None) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    by_extra = project["optional-dependencies"]
    named = extras or by_extra.keys() - {"verifiers"}  # which asks for an older OpenAI than inspect_ai does
    asked = [*project["dependencies"], *(one for extra in named for one in by_extra[extra])]
    locked = _locked(ROOT / lock)
    assert len(asked) > 20
    for one in map(Requirement, asked):
        assert locked[canonicalize_name(one.name)] in one.specifier, f"{one} is not in {lock}: make lock"


def test_what_playing_needs_is_a_part_of_the_lock_without_the_heavy_libraries() -> None:
    locked = _locked(ROOT / ".ci/play.lock")
    assert locked.items() <= _locked(ROOT / "requirements.lock").items(), "make lock"
    heavy = {"tensorflow", "jax", "jaxlib", "opencv-python", "pygame-ce", "ray", "up-fast-downward", "playwright"}
    assert not locked.keys() & {*heavy, "pytest"}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert {canonicalize_name(Requirement(one).name) for one in project["dependencies"]} <= locked.keys()


@pytest.mark.parametrize("lock", ["requirements.lock", ".ci/play.lock"])
def test_every_package_of_the_lock_has_a_hash(lock: str) -> None:
    entries = re.split(r"\n(?=\S)", (ROOT / lock).read_text())
    unhashed = [entry for entry in entries if "==" in entry.partition("\n")[0] and "--hash=sha256:" not in entry]
    assert unhashed == []


def test_a_missing_compiler_is_told_in_one_line(tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("mktemp", "rm", "flock", "dirname"):
        (tools / name).symlink_to(str(shutil.which(name)))
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/set_up", tmp_path / ".ci")
    python = tmp_path / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\nexit 1\n")  # it has no llama.cpp
    python.chmod(0o755)
    command = [str(shutil.which("bash")), ".ci/set_up", "local"]
    done = subprocess.run(command, cwd=tmp_path, env={"PATH": str(tools)}, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "no compiler 'cc'" in done.stderr
    assert "g++" in done.stderr


def _archive(path: Path, **files: bytes) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def _check(archive: Path, wanted: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / ".ci/check_archive.py"), str(archive), str(archive.with_name("record"))]
    return subprocess.run(
        command, env={**os.environ, "BOTS_SHA256": wanted}, capture_output=True, text=True, check=False
    )


def test_a_good_archive_of_bots_is_told_by_its_hash(tmp_path: Path) -> None:
    archive = _archive(tmp_path / "bots.tar.gz", **{"assets/saved_models/one": b"bot"})
    hashed = hashlib.sha256(archive.read_bytes()).hexdigest()
    for wanted in ("", hashed):
        done = _check(archive, wanted)
        assert (done.returncode, done.stdout, done.stderr) == (0, f"{hashed}\n", "")


@pytest.mark.parametrize("name", ["assets/../../stolen", "/etc/stolen", "elsewhere/bot"])
def test_an_archive_of_bots_with_files_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    done = _check(_archive(tmp_path / "bots.tar.gz", **{"assets/one": b"bot", name: b"bot"}))
    assert (done.returncode, done.stdout) == (1, "")
    assert name in done.stderr


def test_a_link_in_an_archive_of_bots_is_refused(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "bots.tar.gz", "w:gz") as archive:
        link = tarfile.TarInfo("assets/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc"
        archive.addfile(link)
    assert "'assets/link' in it is no file" in _check(tmp_path / "bots.tar.gz").stderr


@pytest.mark.parametrize("kept", [0, 1, 300, -9, -1])
def test_an_archive_of_bots_that_was_cut_short_is_refused(tmp_path: Path, kept: int) -> None:
    archive = _archive(tmp_path / "bots.tar.gz", **{"assets/one": os.urandom(2000)})
    archive.write_bytes(archive.read_bytes()[:kept])
    done = _check(archive)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "can't be read as a whole" in done.stderr


def test_an_archive_of_bots_with_another_hash_is_refused(tmp_path: Path) -> None:
    archive = _archive(tmp_path / "bots.tar.gz", **{"assets/one": b"bot"})
    hashed = hashlib.sha256(archive.read_bytes()).hexdigest()
    assert f"and BOTS_SHA256 {'0' * 64}" in _check(archive, "0" * 64).stderr
    archive.with_name("record").write_text("1" * 64 + "\n")
    assert f"if this is meant: BOTS_SHA256={hashed}" in _check(archive).stderr
    assert _check(archive, hashed).returncode == 0

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from hm_agent.command_line.cli import main
from hm_agent.config import ConfigError, check_folder, read_toml
from hm_agent.storage.files import MOST_READ, write_whole
from hm_agent.storage.folder_lock import locked


def test_two_writers_of_one_file_do_not_disturb_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, replace = tmp_path / "summary.md", Path.replace

    def replace_later(draft: Path, target: Path) -> Path:
        monkeypatch.undo()
        write_whole(path, "another's")
        assert path.read_text() == "another's"
        return replace(draft, target)

    monkeypatch.setattr(Path, "replace", replace_later)
    write_whole(path, "own")
    assert path.read_text() == "own"
    assert list(tmp_path.iterdir()) == [path]


def test_a_written_file_has_the_mode_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    write_whole(tmp_path / "whole", "x")
    modes = {path.stat().st_mode for path in tmp_path.iterdir()}
    assert len(modes) == 1


def test_no_draft_stays_of_a_file_that_can_not_be_written(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "folder", tmp_path / "missing" / "file"):
        with pytest.raises(OSError, match=f"'{path}'$"):
            write_whole(path, "x")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Within, no file can become longer, as on a disk without space."""
    limits, writes_none = resource.getrlimit(resource.RLIMIT_FSIZE), sys.dont_write_bytecode
    sys.dont_write_bytecode = True  # Python would leave the first bytes of a compiled module, and fail to load it later
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        sys.dont_write_bytecode = writes_none


def test_a_disk_without_space_is_told_of_by_the_name_of_the_file(tmp_path: Path) -> None:
    with files_of_at_most(1_000), pytest.raises(OSError, match=f"too large: '{tmp_path}/whole'"):
        write_whole(tmp_path / "whole", "x" * 2_000)
    assert not list(tmp_path.iterdir())


def test_no_part_stays_of_what_a_command_can_not_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It would be in the way of the same command, once there is space."""
    (episode := tmp_path / "run/scenario/react/builtin/episode-0").mkdir(parents=True)
    (episode / "result.json").write_bytes(os.urandom(2_000))
    archive, game = tmp_path / "run.tar.gz", tmp_path / "game.toml"
    for command, file in (
        (["pack", f"{tmp_path / 'run'}", f"--out={archive}"], archive),
        (["game-file", "commons_harvest__open", f"{game}"], game),
    ):
        with files_of_at_most(500):
            assert main(["hm-agent", *command]) == 1
        assert f"too large: '{file}'" in capsys.readouterr().err
        assert not file.exists()
        assert main(["hm-agent", *command]) == 0


def test_what_might_never_end_is_not_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (large := tmp_path / "large").touch()
    os.truncate(large, MOST_READ + 1)
    os.mkfifo(tmp_path / "pipe")
    for path, said in (
        (tmp_path / "pipe", "it is no file"),
        (Path("/dev/zero"), "it is no file"),
        (large, "it has more than 256 MB"),
        (tmp_path, "Is a directory"),
    ):
        commands = [["audit", f"{path}"], ["export", "exploretom", f"--from={path}", f"--out={tmp_path / 'out'}"]]
        if not path.is_dir():
            commands.append(["browse", "exploretom", f"{path}"])
        for command in commands:
            assert main(["hm-agent", *command]) == 2
            assert capsys.readouterr().err == f"hm-agent {command[0]}: {path}: {said}\n"
        for flags in ([f"--flagfile={path}"], ["--flagfile", f"{path}"]):
            assert main(["hm-agent", "play", *flags]) == 2
            assert capsys.readouterr().err == f"hm-agent play: --flagfile={path}: {said}\n"
        with pytest.raises(ConfigError, match=said):
            read_toml(path, TypeAdapter(dict[str, str]))


def test_a_byte_order_mark_is_no_part_of_a_text(tmp_path: Path) -> None:
    (tmp_path / "bom.toml").write_text('a = "b"', "utf-8-sig")
    assert read_toml(tmp_path / "bom.toml", TypeAdapter(dict[str, str])) == {"a": "b"}


def test_a_link_that_leads_nowhere_is_told_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    for path in (tmp_path / "link", tmp_path / "link" / "runs"):
        with pytest.raises(ConfigError, match=r"link is a link to .*gone, which is not there"):
            check_folder("out", path)
        with pytest.raises(ConfigError, match="which is not there"), locked(path):
            pass

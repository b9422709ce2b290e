from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hm_agent.config import ConfigError, check_folder
from hm_agent.files import write_whole


def test_two_writers_of_one_file_do_not_disturb_each_other(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    begin = threading.Barrier(2)

    def write(letter: str) -> None:
        begin.wait()
        for _ in range(100):
            write_whole(path, letter * 100_000)
            assert len(set(path.read_text())) == 1

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(write, "ab")) == [None, None]
    assert list(tmp_path.iterdir()) == [path]


def test_a_written_file_has_the_mode_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    write_whole(tmp_path / "whole", "x")
    modes = {path.stat().st_mode for path in tmp_path.iterdir()}
    assert len(modes) == 1


def test_no_draft_stays_of_a_file_that_can_not_be_written(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        write_whole(tmp_path / "folder", "x")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_link_that_leads_nowhere_is_told_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    for path in (tmp_path / "link", tmp_path / "link" / "runs"):
        with pytest.raises(ConfigError, match=r"link is a link to .*gone, which is not there"):
            check_folder("out", path)

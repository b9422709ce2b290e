from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment, FileSystemLoader

from hm_agent.storage.compiled_templates import keep_compiled


class CompilesNothing(Environment):
    def compile(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("a template is compiled")


CompilesNothing.__name__ = Environment.__name__


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "hello.j2").write_text("Hello, {{ name }}! {{ 'a' | shout }}")
    return tmp_path


def _rendered(folder: Path, kind: type[Environment] = Environment) -> str:
    shouted: list[str] = []

    def shout(text: str) -> str:
        shouted.append(text)
        return text.upper()

    templates = kind(loader=FileSystemLoader(folder))
    templates.filters["shout"] = shout
    keep_compiled(templates)
    template = templates.get_template("hello.j2")
    assert shouted == []  # else compiled code would hold what a filter of ours made
    return template.render(name="you")


def test_a_template_is_compiled_once(folder: Path) -> None:
    assert _rendered(folder) == _rendered(folder, CompilesNothing) == "Hello, you! A"


def test_a_changed_template_and_a_damaged_file_are_compiled_anew(folder: Path) -> None:
    _rendered(folder)
    (folder / "hello.j2").write_text("Bye, {{ name }}!")
    assert _rendered(folder) == "Bye, you!"
    (kept,) = folder.glob("cache/hm_agent/templates/*")
    whole = kept.read_bytes()
    for damaged in (b"", whole[:20], whole[:-1], whole[:40] + bytes([whole[40] ^ 1]) + whole[41:]):
        kept.write_bytes(damaged)
        assert _rendered(folder) == "Bye, you!"
        assert kept.read_bytes() == whole


def test_an_error_names_the_template_that_was_read(folder: Path) -> None:
    for parent in ("one/x/y", "other/x/y"):
        (folder / parent).mkdir(parents=True)
        (folder / parent / "hello.j2").write_text("{{ 1 / 0 }}")
        with pytest.raises(ZeroDivisionError) as error:
            _rendered(folder / parent)
        assert str(error.traceback[-1].path) == str(folder / parent / "hello.j2")
    assert len(list(folder.glob("cache/hm_agent/templates/*"))) == 1


@pytest.mark.parametrize("cache", ["a file", "read-only"])
def test_a_folder_that_is_no_use_is_left_alone(cache: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "cache").write_text("") if cache == "a file" else monkeypatch.setenv("XDG_CACHE_HOME", "/proc/1/hm")
    assert _rendered(folder) == "Hello, you! A"

"""The lists that stories are made of."""

from __future__ import annotations

from pathlib import Path

import pytest

from hm_agent.config import ConfigError
from hm_agent.worlds.exploretom.random_stories.action_sets import ACTION_SETS
from hm_agent.worlds.exploretom.random_stories.cast import read_cast
from hm_agent.worlds.exploretom.random_stories.sampling import story_of

OWN = (
    'names = ["Xa", "Xb", "Xc", "Xd"]\n[[setting]]\nname = "moon"\nrooms = ["crater", "dome"]\ntopics = ["earth"]\n'
    '[[setting.objects]]\nname = "rock"\ncontainers = ["bag", "jar"]\nvisible = [["chipped", ""]]\n'
)


def test_lists_can_be_replaced(tmp_path: Path) -> None:
    own = tmp_path / "cast.toml"
    own.write_text(OWN)
    script = story_of(0, ACTION_SETS["a1"], read_cast(own)).script
    assert set(script.people) <= {"Xa", "Xb", "Xc", "Xd"}


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('names = ["Xa"', 'nams = ["Xa"', "names: "),
        ('"Xb"', '"<b>"', "'<b>': a name has letters"),
        ('"crater"', '"room in hell"', "'in' can't stand in a name"),
        ('[["chipped", ""]]', '[["chipped", "away"]]', "a change is one verb"),
        ("topics = ", "topics == ", "not valid TOML"),
    ],
)
def test_bad_lists_are_one_clear_line(tmp_path: Path, old: str, new: str, problem: str) -> None:
    own = tmp_path / "cast.toml"
    own.write_text(OWN.replace(old, new))
    with pytest.raises(ConfigError) as raised:
        read_cast(own)
    assert problem in str(raised.value)
    assert "\n" not in str(raised.value).removesuffix("\n")

"""Stories that several tests read."""

from __future__ import annotations

from hypothesis import strategies as st

from hm_agent.worlds.exploretom.action_sets import ACTION_SETS
from hm_agent.worlds.exploretom.cast import read_cast
from hm_agent.worlds.exploretom.sampling import DrawnStory, story_of

FALSE_BELIEF = (
    "Anne entered the hall.\nBeth entered the hall.\n"
    "Anne moved the apple to the box, which is also located in the hall.\nBeth left the hall.\n"
    "Anne moved the apple to the bin, which is also located in the hall."
)
"""Beth believes that the apple is in the box; it is in the bin."""


def drawn(name: str, seed: int, *, sees_contents: bool = False) -> DrawnStory:
    """The story of a seed, with the names that ship."""
    return story_of(seed, ACTION_SETS[name], read_cast(), sees_contents=sees_contents)


DRAWN = st.builds(drawn, st.sampled_from(list(ACTION_SETS)), st.integers(0, 10_000), sees_contents=st.booleans())
"""Any story that can be drawn."""

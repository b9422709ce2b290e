"""What the rules of `shortcuts` go by, in words. Imports nothing that is slow."""

from __future__ import annotations

from collections.abc import Mapping

WINDOW_WORDS: Mapping[str, str] = {
    "anywhere": "the story",
    "plain": "the sentences without anyone who peeks or is distracted",
    "askew": "the sentences with someone who peeks or is distracted",
    "with": "the sentences that name {}",
    "of": "the sentences that begin with {}",
    "told": "what {} is told",
    "until": "what stands up to the last mention of {}",
    "before": "what stands before the first mention of {}",
    "from": "what stands from the first mention of {} on",
    "after": "what stands after the last mention of {}",
}
"""The parts of a story that rules look at; {} is a person whom the question names."""
WHOM = {"asker": "the first person asked about", "asked": "the last person asked about"}


def rule_name(window: str, pick: str, whom: str) -> str:
    """A rule's name, e.g. `last_until_asked`. pick: `first` or `last`. whom: empty if the window is of no person."""
    return "_".join(filter(None, (pick, window, whom)))


WINDOWED = [
    (window, pick, whom)
    for window, words in WINDOW_WORDS.items()
    for pick in ("first", "last")
    for whom in (WHOM if "{}" in words else ("",))
]
"""All rules that take the choice that a window names first or last: window, pick and whom."""
SHORTCUT_WORDS: Mapping[str, str] = {
    "shortcut_last_choice": "takes the last choice",
    "shortcut_majority": "takes the choice that is named most often",
    **{
        f"shortcut_{rule_name(window, pick, whom)}": (
            f"takes the choice named {pick} in {WINDOW_WORDS[window].format(WHOM.get(whom))}"
        )
        for window, pick, whom in WINDOWED
    },
}
"""Descriptions of the agents that go by where words stand, by agent name."""

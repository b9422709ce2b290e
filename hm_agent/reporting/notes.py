"""What the figures can't say themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hm_agent.reporting.conditions import Condition
from hm_agent.reporting.runs import Runs
from hm_agent.reporting.tables import Row
from hm_agent.reporting.wording import counted, listed

SCALE = "Reward per 1,200 steps, in kitchens per episode"
UNIT = f"{SCALE}: mean ± standard error over n episodes."
PAPER = "The paper: its table 1, GPT-4 against trained bots."
SCRIPTED = "The bots are scripted: they stand in for Melting Pot's trained ones."
CALCULATED = "The model `builtin` calculates: no language model was involved."


def notes(rows: Sequence[Row]) -> list[str]:
    """What holds for a table of rewards as a whole."""
    return [UNIT, PAPER, *stand_ins([row.contestant for row in rows])]


def stand_ins(contestants: Sequence[Condition]) -> list[str]:
    """What played in place of trained bots and of a language model."""
    said = []
    if any(one.bots == "scripted" for one in contestants):
        said.append(SCRIPTED)
    if any(one.model == "builtin" for one in contestants):
        said.append(CALCULATED)
    return said


def unfinished(rows: Sequence[Row]) -> list[str]:
    """How many episodes are in no mean, and why."""
    statuses: Counter[str] = Counter()
    for row in rows:
        statuses.update(row.unfinished)
    if not statuses:
        return []
    reasons = listed([f"{count} {status}" for status, count in sorted(statuses.items())])
    verb = "is" if statuses.total() == 1 else "are"
    return [f"{counted(statuses.total(), 'episode')} did not complete and {verb} in no mean: {reasons}."]


def unscored(rows: Sequence[Row]) -> list[str]:
    """Why rows have no score, where some have none."""
    without = [row for row in rows if row.reward and row.score is None and not row.contestant.is_reference]
    if not without:
        return []
    measure = "`random` and a better `oracle` on the same scenario, against the same bots"
    return [f"A score, and so a comparison across games, needs {measure}: {counted(len(without), 'row')} without one."]


def of_files(runs: Runs) -> list[str]:
    """What was wrong with the files that were read."""
    said = []
    if runs.unreadable:
        files = counted(len(runs.unreadable), "file")
        said.append(f"{files} could not be read as a result of this version: {listed(_some(runs.unreadable))}.")
    if runs.repeated:
        said.append(f"{counted(runs.repeated, 'episode')} lay in several places with one outcome; each counts once.")
    if runs.contradicted:
        episodes = counted(len(runs.contradicted), "repetition")
        where = listed(_some([played.folder for played in runs.contradicted]))
        said.append(f"{episodes} of an episode had another outcome than the one that counts: {where}.")
    return said


def _some(paths: Sequence[object], most: int = 5) -> list[str]:
    """The first few, and how many more there are."""
    more = [f"{len(paths) - most} more"] if len(paths) > most else []
    return [*map(str, paths[:most]), *more]

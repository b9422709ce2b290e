"""What a reader needs to know to read the figures: sentences on a table, on settings, and on files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from hm_agent.catalogue.registry import scenario_named, suites
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.grouping import grouped
from hm_agent.questions import Usage
from hm_agent.recording.result import NO_RESULT, OWN_FILE, Result, other_format
from hm_agent.reporting.ceilings import told_notes
from hm_agent.reporting.conditions import Settings
from hm_agent.reporting.runs import Runs
from hm_agent.reporting.statistics import TINY
from hm_agent.reporting.tables import Row
from hm_agent.storage.files import path_in_words
from hm_agent.wording import counted, listed

CALCULATED = "The model `builtin` answers by calculation: no language model was involved."
MOST_PATHS = 5
"""How many paths a sentence names."""


def notes(rows: Sequence[Row]) -> list[str]:
    """Sentences on all rows together; the unit of each table is shown with the table."""
    sources = dict.fromkeys(row.published.source for row in rows if row.published)
    played = [(row.scenario.world, row.settings, row.condition.model) for row in rows]
    return [
        *(f"Published: {source}." for source in sources),
        *_cut_notes(rows),
        *_unproved_notes(rows),
        *notes_on_settings(played),
        *unanswered((row.condition.model, row.usage) for row in rows),
        *told_notes(rows),
        *shortcut_notes(rows),
        *unbeaten_shortcuts(rows),
        *unfinished(rows),
    ]


def _cut_notes(rows: Iterable[Row]) -> list[str]:
    """A sentence that published figures are of whole episodes, if episodes beside such figures were cut."""
    cut = dict.fromkeys(dict(row.settings).get("max_steps") for row in rows if row.is_cut and row.published)
    lengths = listed([str(steps) for steps in cut if steps is not None], "or")
    if not cut:
        return []
    return [f"§ Episodes were cut after {lengths} steps (--max_steps); the published figures are of whole episodes."]


def _unproved_notes(rows: Iterable[Row]) -> list[str]:
    """A sentence on the scenarios that lack the proof which others of their world have."""
    names = list(dict.fromkeys(row.scenario.short_name for row in rows if row.scenario.is_unproved))
    if not names:
        return []
    return [f"Unproved, so in groups of their own and in no mean over groups: {listed(_first_few(names))}."]


def unanswered(used: Iterable[tuple[str, Usage]]) -> list[str]:
    """A sentence for each model that left questions without a valid answer. used: models and their usages."""
    by_model: dict[str, Usage] = {}
    for model, usage in used:
        by_model[model] = by_model.get(model, Usage()) + usage
    return [
        f"Model `{model}` left {usage.unanswered:,} of {counted(usage.questions, 'question')} without a valid answer."
        for model, usage in by_model.items()
        if usage.unanswered
    ]


def notes_on_results(results: Iterable[Result]) -> list[str]:
    """Sentences on the settings and models of some results, as `notes_on_settings` and `unanswered` make them."""
    played = list(results)
    sentences = notes_on_settings((result.world, tuple(result.settings.items()), result.model) for result in played)
    return [*sentences, *unanswered((result.model, result.usage) for result in played)]


def notes_on_settings(played: Iterable[tuple[str, Settings, str]]) -> list[str]:
    """The worlds' own notes on the settings, and `CALCULATED` if the built-in reasoner was used.

    played: world, settings and model of episodes.
    """
    sentences: dict[str, None] = {}
    calculated = False
    for world, settings, model in dict.fromkeys(played):
        if world in suites():
            sentences |= dict.fromkeys(suites()[world].notes(dict(settings)))
        calculated |= model == "builtin"
    return [*sentences, CALCULATED] if calculated else [*sentences]


def unfinished(rows: Sequence[Row]) -> list[str]:
    """Sentences on how many episodes are in no mean, and why."""
    statuses: Counter[str] = Counter()
    for row in rows:
        statuses.update(row.unfinished)
    silent = statuses.pop(NO_RESULT, 0)
    sentence = (
        f"{counted(silent, 'episode')} {'counts' if silent == 1 else 'count'} as no result and in no mean: more than a "
        "fifth of the questions went unanswered (--count_unanswered includes such episodes)."
    )
    return [*([sentence] if silent else []), *_not_completed(statuses)]


def _not_completed(statuses: Counter[str]) -> list[str]:
    if not statuses:
        return []
    reasons = listed([f"{count} {status}" for status, count in sorted(statuses.items())])
    verb = "is" if statuses.total() == 1 else "are"
    return [f"{counted(statuses.total(), 'episode')} did not complete and {verb} in no mean: {reasons}."]


def shortcut_notes(rows: Sequence[Row]) -> list[str]:
    """Sentences on the shortcuts that are floors, and on those that were not played, so that a floor may be too low."""
    floors, scenarios = dict[str, set[str]](), dict[str, ScenarioInfo]()
    for row in rows:
        if row.floor_reference and row.scenario.metric.floor is None:
            scenarios[row.scenario.name] = row.scenario
            floors.setdefault(row.floor_reference.condition.agent, set()).add(row.scenario.short_name)
    if not floors:
        return []
    chosen = listed([f"`{agent}` in {counted(len(names), 'scenario')}" for agent, names in floors.items()])
    played = {row.condition.agent for row in rows}
    known = dict.fromkeys(
        agent
        for _, info in sorted(scenarios.items())
        if (suite := suites().get(info.world))
        for agent in suite.shortcuts
        if agent not in suite.own_agents or suite.own_agents[agent].plays(info)
    )
    missing = listed(_first_few([f"`{agent}`" for agent in known if agent not in played]))
    no_lower = ", or what guessing earns if that is better" if any(_is_guessed(row) for row in rows) else ""
    others = "the group's other scenarios, if it has any"
    sentence = f"The floor is the shortcut with the best mean over {others}{no_lower}: {chosen}."
    return [sentence, *([f"A floor may be too low, since shortcuts were not played: {missing}."] if missing else [])]


def unbeaten_shortcuts(rows: Sequence[Row]) -> list[str]:
    """A sentence on scenarios in which a shortcut does as well as any agent; the floor there may be another one."""
    found = []
    for scenario, of_scenario in grouped((row.scenario, row) for row in rows if row.scenario.world in suites()).items():
        shortcuts, sign = suites()[scenario.world].shortcuts, 1 if scenario.metric.higher_is_better else -1
        earned = [(row, sign * row.mean) for row in of_scenario if row.mean is not None]
        by_habit = [mean for row, mean in earned if row.condition.agent in shortcuts]
        by_agents = [mean for row, mean in earned if not row.is_reference and row.condition.agent not in shortcuts]
        if by_habit and by_agents and max(by_habit) > max(by_agents) - TINY:
            found.append(scenario.short_name)
    where = listed(_first_few(found))
    return [f"Some shortcut, which models no mind, does as well as every agent in {where}."] if found else []


def _is_guessed(row: Row) -> bool:
    return row.floor_reference is not None and row.floor == row.scenario.metric.guessing


def alike_notes(rows: Sequence[Row]) -> list[str]:
    """A sentence on the scenarios in which episodes of an agent all came out alike, which is no measure of doubt."""
    found = [row for row in rows if row.estimate and row.estimate.interval and not row.is_reference]
    alike = [row for row in found if row.estimate and max(row.estimate.values) - min(row.estimate.values) < TINY]
    if not alike:
        return []
    where = listed(_first_few(list(dict.fromkeys(row.scenario.short_name for row in alike))))
    sentence = (
        f"In {counted(len(alike), 'mean')} of {where} all episodes came out alike: interval and p rest on no spread"
    )
    return [f"{sentence}. A few can come out so by chance; where chance plays no part, they are one episode."]


def unscored(rows: Sequence[Row]) -> list[str]:
    """A sentence on rows that lack a normalised score although their metric has a floor and a ceiling agent."""
    without = [
        row for row in rows if row.estimate and row.normalised_score is None and not (row.is_reference or row.is_narrow)
    ]
    known = [(_floor_in_words(row.scenario), row.scenario.metric.ceiling) for row in without]
    needed = dict.fromkeys(f"{floor} and a better `{ceiling}`" for floor, ceiling in known if floor and ceiling)
    if not needed:
        return []
    count = sum(bool(floor and ceiling) for floor, ceiling in known)
    needs = f"needs {listed(list(needed), 'or')} on the same scenario with the same settings of the world"
    names = dict.fromkeys(row.scenario.short_name for row in without if row.scenario.metric.ceiling)
    where = f"{counted(count, 'row')} of {listed(_first_few(list(names)))} {'lacks' if count == 1 else 'lack'} one"
    return [f"A normalised score, and thus a comparison across groups, {needs}; {where}."]


def _floor_in_words(scenario: ScenarioInfo) -> str:
    """The agent that marks the floor; empty if there is none."""
    if scenario.metric.floor:
        return f"`{scenario.metric.floor}`"
    return "a shortcut" if scenario.world in suites() and suites()[scenario.world].shortcuts else ""


def file_notes(runs: Runs) -> list[str]:
    """Sentences on files that could not be read or are not known here, and on episodes recorded several times."""
    sentences = [*unreadable_notes(runs), *own_game_notes(runs)]
    if runs.repeated:
        records = counted(runs.repeated, "repeated record")
        sentences.append(f"{records} of episodes had the outcome of the record that counts; every episode counts once.")
    if runs.contradicted:
        records = counted(len(runs.contradicted), "repeated record")
        where = listed(_first_few([episode.folder for episode in runs.contradicted]))
        sentences.append(f"{records} of episodes had another outcome than the record that counts: {where}.")
    return sentences


def unreadable_notes(runs: Runs) -> list[str]:
    """Sentences on files that could not be read; empty if there are none."""
    if not runs.unreadable:
        return []
    files, where = counted(len(runs.unreadable), "file"), listed(_first_few(runs.unreadable))
    problems = [f"{problem}." for path in runs.unreadable[:1] if (problem := other_format(path))]
    return [f"{files} could not be read as the result of an episode in the format of today: {where}.", *problems]


def own_game_notes(runs: Runs) -> list[str]:
    """A sentence on scenarios of files of the user's own that are not registered here; empty if there are none."""
    named = {result.scenario for result in runs.results if OWN_FILE in result.settings}
    if not (unknown := sorted(name for name in named if not scenario_named(name).world)):
        return []
    where = listed(_first_few(unknown))
    return [f"Scenarios of files of one's own have no floor or ceiling here without --scenarios_dir: {where}."]


def _first_few(paths: Sequence[Path | str]) -> list[str]:
    """The first `MOST_PATHS` paths or names in words, then how many more there are."""
    more = [f"{len(paths) - MOST_PATHS} more"] if len(paths) > MOST_PATHS else []
    return [*(path_in_words(Path(path)) for path in paths[:MOST_PATHS]), *more]

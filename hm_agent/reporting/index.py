"""`index.html`: a page with all episodes of a folder, each with a picture, its outcome and its files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.recording import trace
from hm_agent.recording.making import made_in_words
from hm_agent.recording.result import FILE, FINISHED, UNFINISHED, Result
from hm_agent.reporting.conditions import conditions_of, count_agents, in_order, labels
from hm_agent.reporting.notes import file_notes, notes_on_results
from hm_agent.reporting.pages import Link, address, page
from hm_agent.reporting.runs import RecordedEpisode, Runs, read_runs, world_title, worlds_of
from hm_agent.storage.files import CARD_PAGES, write_whole
from hm_agent.wording import listed

PAGE = "index.html"
PICTURE = "thumbnail.png"
REWARD = "reward"
LINKED = {
    "replay.html": "replay",
    "video.mp4": "video",
    "episode.gif": "gif",
    trace.FILE: "trace",
    FILE: "result",
    UNFINISHED: "result",
}
"""The names of an episode's files in the page, in the order they are linked."""


@dataclass(frozen=True)
class Entry:
    """An episode in the index. agent: its label. picture: the address of a frame, None if there is none."""

    scenario: ScenarioInfo
    agent: str
    result: Result
    picture: str | None
    links: tuple[Link, ...]

    @property
    def value(self) -> float | None:
        """The scenario's metric."""
        return self.result.metric(self.scenario.metric.name)

    @property
    def details(self) -> str:
        """The whole reason, if it is more than one line."""
        full = self.result.reason.strip()
        return "" if full in self.result.short_reason else full

    @property
    def tokens(self) -> int | None:
        """Input and output together."""
        sent, received = self.result.input_tokens, self.result.output_tokens
        return None if sent is None or received is None else sent + received

    @property
    def replay(self) -> str | None:
        return next((link.address for link in self.links if link.name == "replay"), None)


@dataclass(frozen=True)
class Index:
    """The content of the page.

    overviews: links to pages on all the episodes. worlds: the titles of their worlds. made: how they came to be.
    """

    entries: tuple[Entry, ...]
    overviews: tuple[Link, ...]
    notes: tuple[str, ...]
    worlds: str
    made: str

    @property
    def title(self) -> str:
        return f"{self.worlds}: episodes"

    @cached_property
    def measured(self) -> str:
        """The heading of the column of the scenarios' metrics."""
        return _measured(self.entries)

    @property
    def agents(self) -> int:
        return count_agents((entry.result.agent, entry.agent) for entry in self.entries)

    @property
    def scenarios(self) -> int:
        return len({entry.scenario for entry in self.entries})

    @property
    def statuses(self) -> Mapping[str, int]:
        """The number of episodes by status without errors, the finished ones first."""
        counts = Counter(entry.result.ending for entry in self.entries)
        return {
            status: counts[status] for status in sorted(counts, key=lambda status: (status not in FINISHED, status))
        }

    @cached_property
    def has_pictures(self) -> bool:
        """True if any episode has a picture."""
        return any(entry.picture for entry in self.entries)

    @cached_property
    def has_interactions(self) -> bool:
        """True if the interactions of any episode were counted, which some worlds don't have."""
        return any("interactions" in entry.result.metrics for entry in self.entries)

    @cached_property
    def has_calls(self) -> bool:
        """True if a language model was called in any episode."""
        return any(entry.result.model_calls for entry in self.entries)


def write_index(out: Path, report: Path | None = None, runs: Runs | None = None) -> Path:
    """Writes the page on all episodes in the folder `out` and returns its path.

    report: the report's page, if any. runs: the episodes, if they were read already.
    """
    cards = {f"Card of {path.parent.parent.name}": path for path in sorted(out.glob(CARD_PAGES))}
    overviews = {"Report": report, "Summary": out / "summary.md", **cards}
    links = [Link(name, address(path, out)) for name, path in overviews.items() if path and path.is_file()]
    write_whole(out / PAGE, page("index.html.j2", index=list_episodes(runs or read_runs((out,)), out, links)))
    return out / PAGE


def list_episodes(runs: Runs, out: Path, overviews: Iterable[Link] = ()) -> Index:
    """The index of some episodes, for a page in the folder `out`: by scenario, references after other agents."""
    conditions = conditions_of(runs.results)
    names = labels(conditions, with_model=False)
    in_turn = (*dict.fromkeys(result.scenario for result in runs.results), *in_order(conditions))
    place: Mapping[object, int] = {each: number for number, each in enumerate(in_turn)}
    pairs = sorted(
        zip(runs.episodes, conditions, strict=True),
        key=lambda pair: (place[pair[0].result.scenario], place[pair[1]]),
    )
    entries = [_entry(episode, names[condition], out) for episode, condition in pairs]
    notes = (*_units(entries), *notes_on_results(runs.results), *file_notes(runs))
    return Index(tuple(entries), tuple(overviews), notes, worlds_of(runs), made_in_words(runs.results))


def _entry(episode: RecordedEpisode, label: str, out: Path) -> Entry:
    picture = episode.folder / PICTURE
    return Entry(
        scenario=episode.scenario,
        agent=label,
        result=episode.result,
        picture=address(picture, out) if picture.is_file() else None,
        links=tuple(
            Link(word, address(path, out)) for name, word in LINKED.items() if (path := episode.folder / name).is_file()
        ),
    )


def _measured(entries: Iterable[Entry]) -> str:
    """`reward` where all metrics are rewards, the metric's name where there is one, `result` where they differ."""
    names = {
        REWARD if metric.unit.startswith(REWARD) else metric.name.replace("_", " ")
        for metric in (entry.scenario.metric for entry in entries)
    }
    return names.pop() if len(names) == 1 else "result" if names else REWARD


def _units(entries: Sequence[Entry]) -> list[str]:
    """A sentence on the column of metrics: its unit or, if there are several, each unit and where it applies.

    A unit applies to a world if all its episodes have this unit, else to groups of scenarios.
    """
    scenarios = [entry.scenario for entry in entries]
    by_world: dict[str, set[str]] = {}
    for scenario in scenarios:
        by_world.setdefault(scenario.world, set()).add(scenario.metric.unit)
    places: dict[str, dict[str, None]] = {}
    for scenario in scenarios:
        place = scenario.group if len(by_world[scenario.world]) > 1 else world_title(scenario.world)
        places.setdefault(scenario.metric.unit, {})[place] = None
    if not places:
        return []
    units = [unit if len(places) == 1 else f"{unit} in {listed(list(of_unit))}" for unit, of_unit in places.items()]
    measured = _measured(entries)
    sum_of_rewards = "below it, the episode's sum of rewards, per seat if there are several"
    return [f"The column `{measured}` shows: {'; '.join(units)}; {sum_of_rewards}."]

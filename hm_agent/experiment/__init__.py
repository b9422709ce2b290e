"""Experiments: scenarios x agents x episodes with all their settings, checked before anything is played."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

from hm_agent.catalogue.casting import ignores, stand_ins
from hm_agent.catalogue.registry import suites
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import Setting, Suite
from hm_agent.config import ConfigError, check_folder
from hm_agent.core import Recorder
from hm_agent.experiment.lineups import LeftOut, Lineup, Lineups, check_tournament, seated, tournament_tables
from hm_agent.experiment.planned_episode import Episode
from hm_agent.extensions import check_call, packed, unpack
from hm_agent.flags.fields import flag_field
from hm_agent.models.local import LOCAL, named_file
from hm_agent.models.providers import ModelPool
from hm_agent.models.settings import BUILTIN, PERSON, ModelSettings
from hm_agent.recording.making import making
from hm_agent.recording.result import ENDPOINT, FILE, Result, check_format, read_result
from hm_agent.storage.files import RUNS
from hm_agent.theory_of_mind.hypotheses import Parameters
from hm_agent.wording import first_of

ENGINES = ("local", "ray")
"""Where episodes can be played: on this machine, or on the nodes of a Ray cluster."""
REMOTE_AT_ONCE = 32
"""How many episodes a worker plays at the same time by default if they wait for a remote model."""
MOST_GIF_STEPS = 1000
"""The most steps of a GIF: their pictures are kept in memory until the episode ends."""

RecorderBuilder: TypeAlias = Callable[["Episode"], Recorder]


@dataclass(frozen=True)
class Experiment:
    """What to play, how, and where to write the results.

    The fields that are flags say in their help what they do. seats: if not empty, they play scenarios with several
    seats instead of `agents`; fewer names than seats repeat in turn. concurrency: None for a number that suits the
    models. record_gif: the steps to film. options: the worlds' own, by flag. made: how the results come to be, which
    they record. recorders: called once for each episode in the process that plays it.

    Pickling it includes everything that was registered in this process, so that other processes know it, too.
    """

    scenarios: tuple[ScenarioInfo, ...]
    agents: tuple[str, ...] = flag_field(("hypothetical_minds",), "Agents by name or glob, with commas.", "agent")
    seats: tuple[str, ...] = flag_field(
        (), "Agents that meet in scenarios with several seats, with commas; names repeat in turn."
    )
    model: ModelSettings = ModelSettings()
    seat_models: tuple[str, ...] = flag_field(
        (), "Models for these seats, with commas; names repeat in turn. Without it, all have --model."
    )
    episodes: int = flag_field(1, "Episodes for each scenario and agent; 1e6 is a million.", lower=1)
    seed: int = flag_field(0, "The base seed, from which each episode's seed is derived.")
    out: Path = RUNS
    record_video: bool = flag_field(False, "Also record video.mp4 of every episode.")
    record_gif: range | None = flag_field(
        None, "Also make episode.gif of these steps, from the first to the last, e.g. 40-119."
    )
    record_replay: bool = flag_field(
        True, "Write replay.html, a page that replays the episode; --noreplay leaves it out.", "replay"
    )
    max_steps: int | None = flag_field(None, "Cut episodes after so many steps.", lower=1)
    overwrite: bool = flag_field(False, "Play all episodes anew, also those that OUT has already.")
    retry_failed: bool = flag_field(False, "Play failed episodes anew.")
    workers: int = flag_field(1, "How many processes play episodes; as many as cores are enough.", lower=1)
    concurrency: int | None = flag_field(
        None,
        f"How many episodes each worker plays at the same time; {REMOTE_AT_ONCE} with a remote model, else 1.",
        lower=1,
    )
    engine: str = flag_field(
        ENGINES[0], "Where workers run: on this machine, or on the nodes of a Ray cluster.", choices=ENGINES
    )
    ray_address: str | None = flag_field(
        None, "The cluster, e.g. 10.0.0.1:6379; by default RAY_ADDRESS, else this machine's own."
    )
    grace: float = flag_field(
        600.0, "How many seconds running episodes may take to end after Ctrl-C; a second Ctrl-C stops at once.", lower=0
    )
    options: Mapping[str, Setting] = field(default_factory=dict)
    parameters: Parameters = Parameters()
    made: Mapping[str, str] = field(default_factory=making, compare=False)
    recorders: tuple[RecorderBuilder, ...] = flag_field(
        (), "Recorders of your own, as module:name, with commas; each gets the Episode.", "recorder"
    )
    tournament: bool = False

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "recorders": (), "_packed": packed(self.recorders)}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        fields = dict(state)
        if (payload := fields.pop("_packed")) is not None:
            fields["recorders"] = unpack(payload)
        self.__dict__.update(fields)

    def plan(self) -> Iterator[Episode]:
        """Yields all episodes in the order in which they are played."""
        for scenario in self.scenarios:
            for lineup in self.lineups(scenario):
                for number in range(self.episodes):
                    yield Episode(self, scenario, lineup, number)

    def lineups(self, scenario: ScenarioInfo) -> Sequence[Lineup]:
        """Returns the agents and models by seat for each condition of a scenario, without those that can't play it."""
        return self._lineups[scenario.name].played

    @property
    def left_out(self) -> Sequence[LeftOut]:
        """The agents that were asked for and can't play a scenario that others play, scenario by scenario."""
        return [one for scenario in self.scenarios for one in self._lineups[scenario.name].left_out]

    @cached_property
    def _lineups(self) -> Mapping[str, Lineups]:
        """By the scenario's name."""
        options = self.options_by_scenario
        return {one.name: seated(one, self._asked(one), options[one.name]) for one in self.scenarios}

    def _asked(self, scenario: ScenarioInfo) -> Sequence[Lineup]:
        """The names that take the seats in turn, for each condition."""
        models = self.seat_models or (self.model.name,)
        if self.tournament:
            return tournament_tables(scenario, self.agents, models)
        takes_seats = self.seats and len(scenario.seats) > 1
        return [Lineup(agents, models) for agents in ([self.seats] if takes_seats else [(one,) for one in self.agents])]

    @cached_property
    def options_by_scenario(self) -> Mapping[str, Mapping[str, Setting]]:
        """The settled options (`Suite.settle`) of each scenario's world, by the scenario's name."""
        settled = {}
        for scenario in self.scenarios:
            suite = suites()[scenario.world]
            settled[scenario.name] = suite.settle(scenario, suite.with_defaults(self.options))
        return settled

    @property
    def unused_options(self) -> Mapping[str, str]:
        """The worlds' options that change nothing in any scenario that is played, each with the reason."""
        unused, used = dict[str, str](), set[str]()
        for scenario in self.scenarios:
            suite = suites()[scenario.world]
            given = suite.with_defaults(self.options)
            found = suite.unused(scenario, self._agents_of(scenario), given)
            unused |= found
            used |= given.keys() - found.keys()
        return {name: why for name, why in unused.items() if name not in used}

    def unused_parameters(self, names: Iterable[str]) -> Mapping[str, str]:
        """The named hyperparameters that change nothing in any scenario that is played, each with the reason."""
        playing = [(agent, scenario) for scenario in self.scenarios for agent in self._agents_of(scenario)]
        agents = list(dict.fromkeys(agent for agent, _ in playing))
        why = f"it changes nothing that {first_of(agents)} {'does' if len(agents) == 1 else 'do'}"
        unused = (name for name in names if all(ignores(agent, name, scenario) for agent, scenario in playing))
        return dict.fromkeys(unused, why) if agents else {}

    def _agents_of(self, scenario: ScenarioInfo) -> list[str]:
        """The agents that are asked to play a scenario, those that names such as `floor` stand for in their place."""
        names = {name for asked in self._asked(scenario) for name in asked.agents}
        return sorted({agent for name in names for agent in stand_ins(name, scenario)})

    @property
    def suites(self) -> Sequence[Suite]:
        """The suites of the worlds that are played, each once."""
        return [suites()[world] for world in dict.fromkeys(scenario.world for scenario in self.scenarios)]

    @property
    def folders(self) -> Mapping[str, Path]:
        """The folders that the worlds' options name, by flag."""
        flags = [option.name for suite in self.suites for option in suite.options if option.is_folder]
        return {flag: Path(str(self.options[flag])) for flag in flags if self.options.get(flag)}

    @property
    def model_names(self) -> tuple[str, ...]:
        """The names of the models of all seats, each once."""
        agents = {*self.agents, *self.seats}
        named = () if agents == {PERSON} else self.seat_models or (self.model.name,)
        return tuple(dict.fromkeys((*named, *agents & {PERSON})))

    @property
    def asks_person(self) -> bool:
        """True if a person plays, who is asked one thing at a time and decides when to stop."""
        return PERSON in self.model_names

    @property
    def takes_terminal(self) -> bool:
        """True if a person plays in the terminal, so that nothing else may be shown there meanwhile."""
        return self.asks_person and not self.model.page

    @property
    def settings(self) -> Mapping[str, Setting]:
        """The settings, by flag, that may change an outcome, beside scenario, agent, model and the world's options."""
        return {
            "seed": self.seed,
            "max_steps": self.max_steps,
            **asdict(self.parameters),
            **self.model.sampling.recorded(),
            **({ENDPOINT: self.model.endpoint} if self.asks_endpoint and self.model.endpoint else {}),
        }

    @property
    def asks_endpoint(self) -> bool:
        """True if any model answers over the network, as far as its name tells."""
        return any(name not in (BUILTIN, PERSON) and not name.startswith(LOCAL) for name in self.model_names)

    def check(self, *, opens_models: bool = True) -> None:
        """Raises ConfigError if it can't be played, or if its folder has episodes played with other settings.

        opens_models: False to leave out what only asking the models needs, e.g. a key.
        """
        self._check_seats()
        if self.engine == "ray":
            self._check_for_cluster()
        elif self.ray_address:
            raise ConfigError(f"--ray_address={self.ray_address} is for --engine=ray; say both, or neither")
        for recorder in self.recorders:
            check_call(f"recorder {getattr(recorder, '__qualname__', recorder)}", recorder, "build(episode)")
        self._check_person()
        if opens_models:
            with closing(ModelPool(self.model)) as models:
                models.check(self.model_names)
        check_folder("out", self.out)
        if self.record_gif and self.max_steps is not None and min(self.record_gif) >= self.max_steps:
            steps = f"{min(self.record_gif)}-{max(self.record_gif)}"
            raise ConfigError(f"--record_gif={steps}: --max_steps={self.max_steps} cuts episodes before these steps")
        for scenario in self.scenarios:
            scenario.refuse_cut(self.max_steps)
            available = suites()[scenario.world].episodes(scenario, self.options_by_scenario[scenario.name])
            if available is not None and self.episodes > available:
                raise ConfigError(f"--episodes={self.episodes}: {scenario.short_name} has {available}")
        if self.workers > 1 or self.engine != ENGINES[0]:
            packed(self.recorders)
        self.survey()

    def _check_person(self) -> None:
        if self.model.page and not self.asks_person:
            raise ConfigError("--page is for a person: --agent=human plays there")
        if self.asks_person and (self.workers > 1 or self.engine != ENGINES[0] or (self.concurrency or 1) > 1):
            raise ConfigError("a person plays one episode at a time: leave out --workers, --concurrency and --engine")

    def _check_for_cluster(self) -> None:
        if find_spec("ray") is None:
            raise ConfigError("--engine=ray needs Ray, which is not installed: pip install 'hm_agent[ray]'")
        for name in self.model_names:
            if (file := named_file(name)) and not (file.is_absolute() or self.model.offline):
                # Not made absolute: results and folders have the model's name as it was given.
                raise ConfigError(f"--model={name}: --engine=ray needs the whole path, e.g. {LOCAL}{file.absolute()}")

    def _check_seats(self) -> None:
        if not self.scenarios:
            raise ConfigError("no scenario: name one or several; see --list")
        if self.tournament:
            check_tournament(self.scenarios, self.agents, self.seat_models)
            if self.seats:
                raise ConfigError("a tournament seats the agents of --agent; leave out seats")
        for scenario in self.scenarios:
            self._check_seats_of(scenario)
        if self.seats and all(len(scenario.seats) == 1 for scenario in self.scenarios):
            raise ConfigError("--seats has no effect: these scenarios have one seat each, and --agent says who plays")
        if not any(map(self.lineups, self.scenarios)):
            raise ConfigError(self.left_out[0].error)

    def _check_seats_of(self, scenario: ScenarioInfo) -> None:
        count = len(scenario.seats)
        if not self._asked(scenario):
            raise ConfigError(f"no agent for {scenario.short_name}: name one or several; see --list")
        if scenario.is_of_one_mind and (self.tournament or len(set(self.seats)) > 1):
            raise ConfigError(f"{scenario.short_name}: one agent takes all seats; play it with --agent alone")
        for flag, names in (("seats", self.seats), ("seat_models", () if self.tournament else self.seat_models)):
            if len(names) > count:
                seats = "one seat" if count == 1 else f"{count} seats"
                raise ConfigError(f"--{flag} names {len(names)}, and {scenario.short_name} has {seats}")

    @property
    def at_once(self) -> int:
        """How many episodes a worker plays at the same time.

        By default `REMOTE_AT_ONCE` if a remote model answers: waiting for it costs nothing, and its rate limit is kept.
        One if no remote model is asked, or if a limit on calls could cut short many episodes whose answers no cache
        keeps; a limit on cost begins none that it would cut short.
        """
        if self.concurrency is not None:
            return self.concurrency
        if self.asks_person:
            return 1
        model = self.model
        is_kept = model.cache or model.max_calls is None
        return REMOTE_AT_ONCE if self.asks_endpoint and not model.offline and is_kept else 1

    @property
    def size(self) -> int:
        """The number of all episodes."""
        return self.episodes * sum(len(self.lineups(scenario)) for scenario in self.scenarios)

    def survey(self) -> Grid:
        """Finds the episodes to play.

        Raises ConfigError if any episode was played with other settings or has a result of another format. It reads the
        existing folders only, so a large grid of which nothing was played takes no longer.
        """
        played, unsuccessful = set[Path](), list[Result]()
        for episode in () if self.overwrite else self.present():
            result = read_result(episode.folder / FILE)
            if result is None:
                check_format(episode.folder / FILE)
                continue
            if how := next(episode.what_differs(result), None):
                remedy = "use the same settings, name another --out, or play all anew with --overwrite"
                raise ConfigError(f"{episode.folder} {how}: {remedy}")
            if result.is_finished or not self.retry_failed:
                played.add(episode.folder)
                if not result.judged.is_finished:
                    unsuccessful.append(result)
        return Grid(self, frozenset(played), tuple(unsuccessful))

    def present(self) -> Iterator[Episode]:
        """Yields the episodes whose folder exists."""
        for scenario in self.scenarios:
            for lineup in self.lineups(scenario):
                first = Episode(self, scenario, lineup, 0)
                for folder in first.folder.parent.glob("episode-*"):
                    number = folder.name.removeprefix("episode-")
                    if number.isdecimal() and str(int(number)) == number and int(number) < self.episodes:
                        yield replace(first, number=int(number))


@dataclass(frozen=True)
class Grid:
    """The episodes of an experiment.

    played: the folders of those that are not to be played again. unsuccessful: the results of those among them that
    failed or left too many questions unanswered.
    """

    experiment: Experiment
    played: frozenset[Path]
    unsuccessful: tuple[Result, ...]

    @property
    def due(self) -> int:
        """The number of episodes to play."""
        return self.experiment.size - len(self.played)

    def episodes(self) -> Iterator[Episode]:
        """Yields the episodes to play, in the order in which they are played."""
        return (episode for episode in self.experiment.plan() if episode.folder not in self.played)

"""Tasks of inspect_ai: a sample is an episode, played by the model under test with the package's prompts and checks.

    inspect eval hm_agent/play -T scenario='mg_rps_*' -T agent=react -T episodes=5 --model=openai/gpt-4o
    inspect eval hm_agent/battery -T size=small --model=openai/gpt-4o

Needs the extra `inspect`; inspect_ai finds the tasks by their entry point. Its log has every question and answer.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from anyio.lowlevel import checkpoint
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageUser,
    GenerateConfig,
    ModelOutput,
    ResponseSchema,
    get_model,
)
from inspect_ai.model import Model as InspectModel
from inspect_ai.scorer import Score, Scorer, Target, grouped, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import JSONSchema

from hm_agent.api import check_given
from hm_agent.cards.battery import Battery
from hm_agent.catalogue.finding import find_agent, find_scenarios
from hm_agent.catalogue.suite import FULL, SMALL, Setting
from hm_agent.config import ConfigError
from hm_agent.experiment import Experiment
from hm_agent.experiment.planned_episode import Episode
from hm_agent.experiment.playing import play as play_episode
from hm_agent.models.chat import Reply, Request, Sampling
from hm_agent.models.providers import ModelPool
from hm_agent.models.settings import PERSON, ModelSettings
from hm_agent.models.text_model import TextModel
from hm_agent.questions import map_schema
from hm_agent.recording.result import Result
from hm_agent.reporting.functional import shipped_score
from hm_agent.seats.seat_models import SeatModels

FULL_AGENT = Experiment.agents[0]
ERROR = "{group_name}, standard error"
BY_WORLD = [mean(), stderr(), grouped(mean(), "world", all=False)]
TESTED = "tested"
"""What `others` calls the model under test."""


@task  # type: ignore[untyped-decorator]
def play(
    scenario: str | list[str],
    agent: str = FULL_AGENT,
    others: str = TESTED,
    episodes: int = 1,
    max_steps: int | None = None,
    out: str | None = None,
    **options: Setting,
) -> Task:
    """Episodes of scenarios. scenario: one or several names or globs. agent: how the model under test plays.

    others: the model of all seats but the first, `tested` for the one under test, `builtin` for the reasoner. out: the
    folder for the files of `hm-agent play`; without it none are kept. options: the worlds' own, named as their flags.
    """
    given = {name: None if value is None else str(value) for name, value in options.items()}
    found = find_scenarios([scenario] if isinstance(scenario, str) else scenario, given)
    experiment = Experiment(
        found, (find_agent(agent),), episodes=episodes, max_steps=max_steps, options=given, **_written_to(out)
    )
    check_given(experiment, given, opens_models=False)
    return _task([experiment], others)


@task  # type: ignore[untyped-decorator]
def battery(
    size: str = SMALL,
    world: str | list[str] | None = None,
    agent: str = FULL_AGENT,
    others: str = TESTED,
    out: str | None = None,
) -> Task:
    """The items of the battery. world: one or several; without it all. The other parameters are those of `play`."""
    if size not in (SMALL, FULL):
        raise ConfigError(f"size={size!r}: say {SMALL} or {FULL}")
    worlds = (world,) if isinstance(world, str) else tuple(world or ())
    requested = Experiment((), (find_agent(agent),), **_written_to(out))
    return _task([own for _, _, own in Battery(size, worlds=worlds).experiments(requested)], others)


def _written_to(out: str | None) -> dict[str, Any]:
    return {"out": Path(out or ""), "record_replay": out is not None, "overwrite": True}


def _task(experiments: Iterable[Experiment], others: str) -> Task:
    """A task with a sample for each episode. Raises ConfigError if an experiment can't be played."""
    if others != TESTED:
        ModelPool(ModelSettings()).check([others])
    episodes = dict[str, Episode]()
    for experiment in experiments:
        if experiment.asks_person:
            raise ConfigError(f"agent={PERSON!r} asks a person, not the model under test")
        experiment.check(opens_models=False)
        episodes |= {f"{one.scenario.short_name}/{one.number}": one for one in experiment.plan()}
    return Task(
        dataset=MemoryDataset([_sample(name, one) for name, one in episodes.items()], name="hm_agent"),
        solver=episode_player(episodes, others),
        scorer=[functional(), literal(), measure()],
    )


def _sample(name: str, episode: Episode) -> Sample:
    scenario = episode.scenario
    order = "no order stated" if scenario.needs_order is None else f"order {scenario.needs_order}"
    about = {"world": scenario.world, "measure": f"{scenario.group}, {scenario.metric.unit}", "order": order}
    return Sample(input=f"{scenario.short_name}: {scenario.about}", id=name, metadata={**about, "seed": episode.seed})


@solver  # type: ignore[untyped-decorator]
def episode_player(episodes: Mapping[str, Episode], others: str) -> Solver:
    """Plays the episode of a sample; its result goes to the sample's store, its files to its folder if it has one.

    episodes: by the sample's id. Raises RuntimeError for an episode that does not end well, with its status.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        tested = get_model()
        chat = _InspectChat(tested)
        models = SeatModels(str(tested), chat.model)
        with _folder(episodes[str(state.sample_id)], state.epoch) as episode:
            seated = _seated(episode, str(tested), others)
            result = await play_episode(seated, models)
        await checkpoint()  # an episode that is cancelled ends, and the cancellation goes on here
        if chat.failure is not None:
            raise chat.failure
        if not result.is_finished:
            raise RuntimeError(f"{result.status} {result.reason}")
        _store(state, episode, result)
        return state

    return solve


def _store(state: TaskState, episode: Episode, result: Result) -> None:
    """Keeps the result in the sample's store, and for each scorer its value, and why there is none.

    A result with too many unanswered questions has none at all, as in reports.
    """
    earned, share, judged = episode.scenario.metric, episode.suite.literal, result.judged
    acted = shipped_score(episode.scenario, result.metric, result.settings)
    told = result.metric(share.name) if share else None
    state.store.set("result", asdict(result))
    values = {
        "functional": (acted.value, acted.why),
        "literal": (told, "it was not asked what others know or do"),
        "measure": (result.metric(earned.name), f"the episode has no {earned.name}"),
    }
    state.store.set("scores", values if judged.is_finished else dict.fromkeys(values, (None, judged.status)))
    said = f"{earned.name} {result.metric(earned.name)}, {earned.unit}"
    state.output = ModelOutput.from_content(result.model, f"{judged.status}: {said}")


@contextmanager
def _folder(episode: Episode, epoch: int) -> Iterator[Episode]:
    """The episode with the folder of its files: a temporary one if none is named, and one for each further epoch."""
    out = episode.experiment.out
    with nullcontext(out) if out != Path() else tempfile.TemporaryDirectory(prefix="hm_agent-") as folder:
        place = Path(folder) / f"epoch-{epoch}" if epoch > 1 else Path(folder)
        yield replace(episode, experiment=replace(episode.experiment, out=place))


def _seated(episode: Episode, tested: str, others: str) -> Episode:
    """The episode with the names of the models in its seats."""
    count = len(episode.scenario.seats)
    models = (tested, *[tested if others == TESTED else others] * (count - 1))
    settings = replace(episode.experiment.model, name=tested)
    return replace(
        episode, experiment=replace(episode.experiment, model=settings), lineup=replace(episode.lineup, models=models)
    )


@dataclass
class _InspectChat:
    """Asks the model under test through inspect_ai, which logs and caches requests and tries failed ones again.

    failure: the first error that this raised, a limit of inspect_ai's for example.
    """

    tested: InspectModel
    failure: Exception | None = None

    def model(self, seed: int) -> TextModel:
        """The model of the seat with this seed."""
        return TextModel(str(self.tested), self, Sampling(), None, seed)

    async def complete(self, request: Request) -> Reply:
        kinds = {"user": ChatMessageUser, "assistant": ChatMessageAssistant}
        try:
            output = await self.tested.generate(
                [kinds[message.role](content=message.content) for message in request.messages],
                config=GenerateConfig(seed=request.sampling_seed, response_schema=_form(request)),
            )
        except Exception as error:
            self.failure = self.failure or error
            raise
        usage, stopped = output.usage, output.stop_reason
        problem = None if stopped == "stop" else f"it stopped early: {stopped}"
        return Reply(
            (output.completion,),
            problem,
            usage.input_tokens if usage else None,
            usage.output_tokens if usage else None,
            served=output.model,
        )


def _form(request: Request) -> ResponseSchema:
    """The form of the answer, as far as inspect_ai can say it: it has no named parts, so each stands in its place."""
    whole, named = {**request.schema}, request.schema.get("$defs", {})
    whole.pop("$defs", None)
    inlined = map_schema(whole, lambda part: dict(named[part["$ref"].rpartition("/")[2]]) if "$ref" in part else part)
    return ResponseSchema(name=request.name, json_schema=JSONSchema.model_validate(inlined))


@scorer(metrics=BY_WORLD)  # type: ignore[untyped-decorator]
def functional() -> Scorer:
    """How well the model acts on other minds, from the floor's 0 to the ceiling's 1 (`reporting/functional.py`)."""
    return _stored("functional")


@scorer(metrics=BY_WORLD)  # type: ignore[untyped-decorator]
def literal() -> Scorer:
    """The share of statements about other minds that were right."""
    return _stored("literal")


@scorer(metrics=[grouped(mean(), "measure", all=False), grouped(stderr(), "measure", all=False, name_template=ERROR)])  # type: ignore[untyped-decorator]
def measure() -> Scorer:
    """What the episode earned, in its scenario's own measure; means are over episodes of one measure."""
    return _stored("measure")


def _stored(name: str) -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        value, why = state.store.get("scores")[name]
        if value is None:
            return Score.unscored(explanation=why)
        return Score(value=value, explanation=state.output.completion)

    return score

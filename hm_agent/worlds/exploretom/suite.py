"""What ExploreToM hands out to experiments, results, reports and replays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from hm_agent.config import ConfigError
from hm_agent.core import Agent, World
from hm_agent.models.builtin import ReasonerTable
from hm_agent.suite import AgentSetup, Metric, Option, OwnAgent, ScenarioInfo, Setting, Suite
from hm_agent.worlds.exploretom.sampling import ACTION_SETS, ActionSet

PREFIX = "exploretom_"
SHOWN, FREE = "shown", "free"
HIDDEN, SEEN = "hidden", "seen"
ALL = "all"
METRIC = Metric("accuracy", "share of questions answered rightly", floor="reality")


class ExploretomSuite(Suite):
    """Stories of the paper's eighteen action sets, drawn from the seed, with all their questions."""

    name = "exploretom"
    title = "ExploreToM"
    options = (
        Option("choices", "Whether questions show their choices, or answers are free.", SHOWN, (SHOWN, FREE), True),
        Option(
            "contents",
            "Whether who enters a room sees what its containers hold (as in ToMi), or not (as in ExploreToM).",
            HIDDEN,
            (HIDDEN, SEEN),
            changes_world=True,
        ),
        Option("questions", "How many questions are asked about a story at most, or all.", ALL, None, True),
        Option("cast", "A file of names, rooms, objects and topics.", None, None, True),
    )
    published_source = "Explore Theory of Mind"

    @cached_property
    def scenarios(self) -> Sequence[ScenarioInfo]:
        return tuple(map(_info, ACTION_SETS.values()))

    def settle(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> Mapping[str, Setting]:
        _number(options["questions"])
        _cast_path(options["cast"])
        return options

    def open(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> World[Any, Any]:
        from hm_agent.worlds.exploretom.cast import read_cast
        from hm_agent.worlds.exploretom.world import StorySettings, StoryWorld

        return StoryWorld(
            StorySettings(
                action_set=ACTION_SETS[scenario.name.removeprefix(PREFIX)],
                lists=read_cast(_cast_path(options["cast"])),
                sees_contents=options["contents"] == SEEN,
                shows_choices=options["choices"] == SHOWN,
                questions=_number(options["questions"]),
            )
        )

    def generate(self, arguments: Sequence[str]) -> int:
        from hm_agent.worlds.exploretom.search.command import main

        return main(arguments)

    def plays(self, agent: str, scenario: ScenarioInfo) -> bool:
        return False

    @property
    def own_agents(self) -> Mapping[str, OwnAgent]:  # type: ignore[override]
        return {
            "reader": OwnAgent("reads the story and answers each question", partial(_model_reader, "ModelReader")),
            "reader_cot": OwnAgent("the same, step by step", partial(_model_reader, "ReasoningReader")),
            "perspective": OwnAgent(
                "first says what the person asked about knows (SimToM)", partial(_model_reader, "PerspectiveReader")
            ),
            **{name: OwnAgent(about, _weak_reader(name)) for name, about in _WEAK.items()},
        }

    def answers(self) -> ReasonerTable:
        from hm_agent.worlds.exploretom.reading import ANSWERS

        return ANSWERS


_WEAK = {
    "reality": "no model: answers what is so, whoever is asked about",
    "last_mention": "no model: answers the place that the story names last, or yes",
    "first_order": "no model: takes it that everyone knows what others believe",
    "no_distraction": "no model: overlooks who peeks and who is distracted",
    "first_choice": "no model: takes the first choice",
}


def _info(action_set: ActionSet) -> ScenarioInfo:
    name = f"{PREFIX}{action_set.name}"
    return ScenarioInfo(
        world="exploretom",
        name=name,
        short_name=name,
        group="ExploreToM, with peeking and distraction" if action_set.is_asymmetric else "ExploreToM",
        about=action_set.about,
        seats=("reader",),
        metric=METRIC,
        asked_by="exploretom",
    )


def _number(given: Setting) -> int | None:
    """How many questions; None for all. Raises ConfigError for what is no number from 1."""
    if given in (None, ALL):
        return None
    text = str(given)
    if not (text.isdecimal() and int(text) >= 1):
        raise ConfigError(f"--questions={text}: say how many, from 1, or {ALL}")
    return int(text)


def _cast_path(given: Setting) -> Path | None:
    """The file of the cast, None for the shipped one; raises ConfigError if there is none."""
    if given is None:
        return None
    path = Path(str(given))
    if not path.is_file():
        raise ConfigError(f"--cast={path}: there is no such file")
    return path


def _model_reader(kind: str, setup: AgentSetup) -> Agent[Any, Any]:
    from hm_agent.worlds.exploretom import readers

    built: Agent[Any, Any] = getattr(readers, kind)(setup.model)
    return built


def _weak_reader(name: str) -> Callable[[AgentSetup], Agent[Any, Any]]:
    def build(setup: AgentSetup) -> Agent[Any, Any]:
        from hm_agent.worlds.exploretom.readers import WEAK_RULES, WeakReader

        return WeakReader(WEAK_RULES[name])

    return build


SUITE = ExploretomSuite()

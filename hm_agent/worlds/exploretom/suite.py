"""What ExploreToM hands out to experiments, results, reports and replays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import FULL, SMALL, AgentSetup, Option, OwnAgent, OwnCommand, Setting, Suite, Viewer
from hm_agent.config import ConfigError, existing_file
from hm_agent.core import Agent, World
from hm_agent.matched_pairs import HalfOfKind, MatchedPairWorld, pairs_metric
from hm_agent.metrics import SHARE, Breakdown, Metric, ShareMetric
from hm_agent.models.builtin import ReasonerTable
from hm_agent.theory_of_mind.hypotheses import BY_PREDICTION
from hm_agent.worlds.exploretom.pairs.kinds import BOTH, KINDS, PAIR_SCENARIOS, SEATS, StoryPairKind
from hm_agent.worlds.exploretom.random_stories.action_sets import ACTION_SETS, ActionSet
from hm_agent.worlds.exploretom.readers.shortcut_words import SHORTCUT_WORDS

if TYPE_CHECKING:
    from hm_agent.questions import Model
    from hm_agent.theory_of_mind.strategist import BaseStrategist
    from hm_agent.worlds.exploretom.questions.posing import PosedStory

PREFIX = "exploretom_"
FUNCTIONAL = "functional_"
DATASET = "exploretom_dataset"
MOST_STORIES = 1_000_000
"""More stories than any data set has: story `number` has the seed base * MOST_STORIES + number."""
PLAIN, INFILLED = "plain", "infilled"
SHOWN, FREE = "shown", "free"
HIDDEN, SEEN = "hidden", "seen"
ALL = "all"
METRIC = Metric("accuracy", "share of questions answered rightly", floor="reality", digits=3, bounds=SHARE)
DRAWN_METRIC = replace(METRIC, ceiling="order_3", is_ceiling_told=False)
"""Questions about drawn stories ask for beliefs of order 3 at most, which its ceiling follows."""
WORDS_METRIC = replace(DRAWN_METRIC, floor="shortcut_first_with_asker")
"""For stories of `TOLD_BY_WORDS`: there this rule is right more often than `reality`.

`hm-agent play --agent=shortcut_first_with_asker,reality --episodes=16
--scenario=exploretom_a2,exploretom_a2_asymmetric,...` over these ten scenarios: 0.745 (`reality` 0.576) in the first
eight episodes of each, 0.722 (0.646) in the other eight.
"""
TOLD_BY_WORDS = ("a2", "a3", "a7", "a8", "a9")
"""The action sets, with and without people who peek, in which things change or people talk."""
FUNCTIONAL_METRIC = replace(DRAWN_METRIC, name="functional", unit="share of functional items answered rightly")

BY_ORDER = Breakdown(
    "orders",
    "Accuracy by the order of the question",
    "share of right answers",
    tuple((f"order {order}", f"accuracy_order_{order}") for order in range(3)),
    "Order 0 asks about the world, order 1 what someone believes, order 2 what someone thinks that another believes.",
    references="readers without a model, each with one blind spot",
)
BY_INTEREST = Breakdown(
    "interest",
    "Accuracy in questions that need a mind, and in others",
    "share of right answers",
    (
        ("not interesting", "accuracy_uninteresting"),
        ("interesting", "accuracy_interesting"),
        ("false belief", "accuracy_false_belief"),
    ),
    "A question about a belief is interesting if its answer depends on whom it asks about, and about a false belief if "
    "its answer is not what is so.",
)
BY_PAIR = Breakdown(
    "pairs",
    "Matched pairs by what they ask",
    "share of pairs with both stories right",
    tuple((kind.replace("_", " "), f"{BOTH}_{kind}") for kind in KINDS),
    "Where one sentence stands makes the difference between two stories. A coin between both right answers gets .25.",
    references="readers without a model: shortcuts get about 0, and the ladder 1 from the order that the pairs need on",
)

_HERE = "hm_agent.worlds.exploretom"


class ExploretomSuite(Suite):
    """Scenarios for the paper's eighteen action sets, with literal or functional questions, and one for data sets."""

    name = "exploretom"
    title = "ExploreToM"
    offers = None
    plain_agent = "reader"
    literal = ShareMetric(
        "literal",
        "the share of items of which every belief that they need was told rightly",
        given_by="scenarios named exploretom_functional_* ask for beliefs and for acts",
    )
    functional = ShareMetric("functional", "the share of the same items in which the right action was chosen")
    per_order: Mapping[str, int] = {SMALL: 5, FULL: 10}  # two questions each, but a pair takes seconds to draw
    commands: Mapping[str, OwnCommand] = {
        "generate": OwnCommand("search stories that a model finds hard", f"{_HERE}.search.command:main"),
        "export": OwnCommand("write a data set", f"{_HERE}.datasets.export_command:main"),
        "browse": OwnCommand("write a page to browse a set of stories", f"{_HERE}.viewer.browse_page:run_command"),
        "cast": OwnCommand("have a model suggest settings of stories", f"{_HERE}.random_stories.cast_command:main"),
        "audit": OwnCommand("find wrong labels in a set of stories", f"{_HERE}.audit.audit_command:main"),
    }
    options = (
        Option("choices", "Whether questions show their choices, or answers are free.", SHOWN, (SHOWN, FREE), True),
        Option(
            "contents",
            "Whether entering a room shows what its containers hold (as in ToMi), or not (as in ExploreToM).",
            HIDDEN,
            (HIDDEN, SEEN),
            changes_world=True,
        ),
        Option("questions", "The most questions to ask about a story, or all.", ALL, None, True),
        Option("cast", "A file of names, rooms, objects and topics.", changes_world=True, is_file=True),
        Option("dataset", f"The file of questions, in JSON, that {DATASET} asks.", changes_world=True, is_file=True),
        Option(
            "telling",
            "Whether stories of --dataset are read in plain sentences, or as a language model tells them.",
            PLAIN,
            (PLAIN, INFILLED),
            changes_world=True,
        ),
    )
    breakdowns = (BY_ORDER, BY_INTEREST, BY_PAIR)
    needs_are = "proved of each pair"
    shortcuts = ("reality", "no_distraction", "last_mention", "first_choice", *SHORTCUT_WORDS)

    @cached_property
    def scenarios(self) -> Sequence[ScenarioInfo]:
        drawn = [
            _action_set_scenario(action_set, functional=functional)
            for functional in (False, True)
            for action_set in ACTION_SETS.values()
        ]
        pairs = (_pairs_scenario(name, pairs) for name, pairs in PAIR_SCENARIOS.items())
        return (*drawn, *pairs, _dataset_scenario())

    def settle(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> Mapping[str, Setting]:
        from hm_agent.worlds.exploretom.random_stories.cast import read_cast

        _max_questions(options["questions"])
        if scenario.name != DATASET:
            if path := existing_file("cast", options["cast"]):
                read_cast(path)
            return {**options, "dataset": None, "telling": PLAIN}
        if not options["dataset"]:
            raise ConfigError(f"{DATASET} asks the questions of a file: say --dataset=FILE")
        told = {story.sees_contents for story in self._stories(options)}
        contents = options["contents"] if len(told) > 1 else SEEN if True in told else HIDDEN
        return {**options, "cast": None, "contents": contents}

    def unused(
        self, scenario: ScenarioInfo, agents: Sequence[str], options: Mapping[str, Setting]
    ) -> Mapping[str, str]:
        if scenario.name != DATASET:
            of_others = dict.fromkeys(("dataset", "telling"), f"it is for the scenario {DATASET}")
            one = {"questions": "a story of a pair has one question"} if scenario.name in PAIR_SCENARIOS else {}
            return {**of_others, **one}
        unused = {"cast": f"the stories of {DATASET} are those of --dataset"}
        if options["dataset"] and self._says_contents(options):
            unused["contents"] = "every story of --dataset says whether contents are seen"
        return unused

    def _says_contents(self, options: Mapping[str, Setting]) -> bool:
        """True if every story of the data set says whether contents are seen, so that --contents changes none."""
        either_way = [self._stories({**options, "contents": contents}) for contents in (HIDDEN, SEEN)]
        return all(one.sees_contents == other.sees_contents for one, other in zip(*either_way, strict=True))

    def episodes(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> int | None:
        return len(self._stories(options)) if scenario.name == DATASET else None

    def seed(self, scenario: ScenarioInfo, base: int, number: int) -> int | None:
        return base * MOST_STORIES + number if scenario.name == DATASET else None

    def _stories(self, options: Mapping[str, Setting]) -> Sequence[PosedStory]:
        """The stories of a data set; raises ConfigError for a file that holds none."""
        from hm_agent.worlds.exploretom.datasets.item import posed_stories

        path = existing_file("dataset", options["dataset"])
        assert path is not None
        return posed_stories(
            path,
            path.stat().st_mtime_ns,
            is_infilled=options["telling"] == INFILLED,
            sees_contents=options["contents"] == SEEN,
        )

    def open(self, scenario: ScenarioInfo, options: Mapping[str, Setting]) -> World[Any, Any]:
        from hm_agent.worlds.exploretom.random_stories.cast import read_cast
        from hm_agent.worlds.exploretom.world import StoryWorld, pose_drawn

        shows_choices, questions = options["choices"] == SHOWN, _max_questions(options["questions"])
        world = partial(StoryWorld, shows_choices=shows_choices, questions=questions)
        if scenario.name == DATASET:
            stories = self._stories(options)
            return world(lambda seed: stories[seed % MOST_STORIES])
        sees_contents = options["contents"] == SEEN
        lists = read_cast(existing_file("cast", options["cast"]))
        if pairs := PAIR_SCENARIOS.get(scenario.name):
            from hm_agent.worlds.exploretom.pairs.drawing import pose_in_pair

            pose = partial(pose_in_pair, pairs.kind, pairs.half)
            worlds = {seat: world(partial(pose, place, lists, sees_contents)) for place, seat in enumerate(SEATS)}
            return MatchedPairWorld(worlds, "accuracy", (BOTH, f"{BOTH}_{pairs.kind}"))
        name = scenario.name.removeprefix(PREFIX)
        action_set, is_functional = ACTION_SETS[name.removeprefix(FUNCTIONAL)], name.startswith(FUNCTIONAL)
        return world(partial(pose_drawn, action_set, lists, sees_contents, is_functional))

    @cached_property
    def own_agents(self) -> Mapping[str, OwnAgent]:
        return {
            **{name: OwnAgent(about, partial(_reader, name), uses=()) for name, about in _MODEL_READERS.items()},
            "hypothetical_minds": OwnAgent(
                "in ExploreToM: hypotheses about what each person knows, scored by whether answers were right",
                _hypothesis_reader,
                uses=BY_PREDICTION,
            ),
            "hm_odds": OwnAgent("in ExploreToM: the likeliest answer, by the chances of each", _odds_reader, uses=()),
            **{
                name: OwnAgent(about, partial(_reader, name), is_reference=True)
                for name, about in _WEAK_READERS.items()
            },
            **{
                name: OwnAgent(about, partial(_reader, name), is_reference=True, asked_by="shortcut")
                for name, about in SHORTCUT_WORDS.items()
            },
        }

    def viewer(self, scenario: ScenarioInfo) -> Viewer:
        from hm_agent.worlds.exploretom.viewer.story_viewer import StoryViewer

        return StoryViewer()

    def answers(self) -> ReasonerTable:
        from hm_agent.worlds.exploretom.readers.reading import ANSWERS

        return ANSWERS


_MODEL_READERS = {
    "reader": "reads the story and answers each question",
    "reader_cot": "the same, step by step",
    "perspective": "first says what the person asked about knows (SimToM)",
}
"""Descriptions of the agents that ask a model, by agent name."""
_WEAK_READERS = {
    "reality": "no model: answers what is so, whoever is asked about",
    "last_mention": "no model: answers the place that the story names last, or yes",
    "first_order": "no model: takes it that everyone knows what others believe",
    "no_distraction": "no model: overlooks who peeks and who is distracted",
    "seen_together": "no model: goes by what those asked about saw together, without nesting beliefs",
    "first_choice": "no model: takes the first choice",
    **{
        f"order_{depth}": f"no model: follows beliefs of order {depth} and below, and takes deeper ones for known"
        for depth in range(4)
    },
}
"""Descriptions of the agents that ask no model, by agent name."""


def _action_set_scenario(action_set: ActionSet, *, functional: bool) -> ScenarioInfo:
    name = f"{PREFIX}{FUNCTIONAL if functional else ''}{action_set.name}"
    group = "ExploreToM, functional items" if functional else "ExploreToM"
    literal_metric = WORDS_METRIC if action_set.name.partition("_")[0] in TOLD_BY_WORDS else DRAWN_METRIC
    return ScenarioInfo(
        world="exploretom",
        name=name,
        short_name=name,
        group=f"{group}, with peeking and distraction" if action_set.is_asymmetric else group,
        about=action_set.about,
        seats=("reader",),
        metric=FUNCTIONAL_METRIC if functional else literal_metric,
        asked_by=f"{PREFIX}{FUNCTIONAL}" if functional else "exploretom",
    )


def _pairs_scenario(name: str, pairs: HalfOfKind[StoryPairKind]) -> ScenarioInfo:
    facts = pairs.facts
    return ScenarioInfo(
        world="exploretom",
        name=name,
        short_name=name,
        group=f"ExploreToM, matched pairs of order {facts.order}",
        about=f"{facts.about} ({pairs.half} half)",
        seats=SEATS,
        metric=pairs_metric(
            BOTH, "share of pairs with both stories right", facts.order, None if facts.order else "last_mention"
        ),
        asked_by="exploretom_pairs_",
        held_out=pairs.is_held_out,
        needs_order=facts.order,
        is_of_one_mind=True,
    )


def _dataset_scenario() -> ScenarioInfo:
    return ScenarioInfo(
        world="exploretom",
        name=DATASET,
        short_name=DATASET,
        group="ExploreToM, data sets",
        about="a story of --dataset=FILE an episode, in the file's order",
        seats=("reader",),
        metric=METRIC,
        asked_by=DATASET,
    )


def _max_questions(given: Setting) -> int | None:
    """The most questions to ask, None for all; raises ConfigError unless --questions is a number from 1 or `all`."""
    if given in (None, ALL):
        return None
    text = str(given)
    if not (text.isdecimal() and int(text) >= 1):
        raise ConfigError(f"--questions={text}: say how many, from 1, or {ALL}")
    return int(text)


def _reader(name: str, setup: AgentSetup) -> Agent[Any, Any]:
    from hm_agent.worlds.exploretom.readers.readers import MODEL_READERS, RULES, WeakReader

    return MODEL_READERS[name](setup.model) if name in MODEL_READERS else WeakReader(RULES[name])


def _hypothesis_reader(setup: AgentSetup) -> Agent[Any, Any]:
    from hm_agent.theory_of_mind.module import TheoryOfMind

    parameters = setup.parameters.by_prediction
    return _mind_reader(setup, lambda mind, model: TheoryOfMind(mind, model, parameters))


def _odds_reader(setup: AgentSetup) -> Agent[Any, Any]:
    from hm_agent.theory_of_mind.calculating import Calculator

    return _mind_reader(setup, Calculator)


def _mind_reader(setup: AgentSetup, strategist: Callable[[Any, Model], BaseStrategist[Any]]) -> Agent[Any, Any]:
    from hm_agent.worlds.exploretom.readers.hypothesis_reader import HypothesisReader
    from hm_agent.worlds.exploretom.world import StoryWorld

    world = setup.world.worlds[setup.seat] if isinstance(setup.world, MatchedPairWorld) else setup.world
    assert isinstance(world, StoryWorld)
    return HypothesisReader(setup.model, strategist, lambda: world.graded)


SUITE = ExploretomSuite()

"""What ExploreToM hands out to experiments, results, reports and replays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import FULL, SMALL, Option, OwnAgent, OwnCommand, Setting, Suite, Viewer
from hm_agent.config import ConfigError, existing_file
from hm_agent.core import World
from hm_agent.matched_pairs import MatchedPairWorld
from hm_agent.metrics import Breakdown, ShareMetric
from hm_agent.models.builtin import ReasonerTable
from hm_agent.worlds.exploretom.own_agents import OWN_AGENTS, SHORTCUTS
from hm_agent.worlds.exploretom.pairs.kinds import BOTH, KINDS, PAIR_SCENARIOS, SEATS
from hm_agent.worlds.exploretom.random_stories.action_sets import ACTION_SETS
from hm_agent.worlds.exploretom.scenarios import DATASET, FUNCTIONAL, PREFIX, listed_scenarios

if TYPE_CHECKING:
    from hm_agent.worlds.exploretom.questions.posing import PosedStory

MOST_STORIES = 1_000_000
"""More stories than any data set has: story `number` has the seed base * MOST_STORIES + number."""
PLAIN, INFILLED = "plain", "infilled"
SHOWN, FREE = "shown", "free"
HIDDEN, SEEN = "hidden", "seen"
ALL = "all"
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
    shortcuts = SHORTCUTS

    @property
    def own_agents(self) -> Mapping[str, OwnAgent]:
        return OWN_AGENTS

    @cached_property
    def scenarios(self) -> Sequence[ScenarioInfo]:
        return tuple(listed_scenarios())

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

    def viewer(self, scenario: ScenarioInfo) -> Viewer:
        from hm_agent.worlds.exploretom.viewer.story_viewer import StoryViewer

        return StoryViewer()

    def answers(self) -> ReasonerTable:
        from hm_agent.worlds.exploretom.readers.reading import ANSWERS

        return ANSWERS


def _max_questions(given: Setting) -> int | None:
    """The most questions to ask, None for all; raises ConfigError unless --questions is a number from 1 or `all`."""
    if given in (None, ALL):
        return None
    text = str(given)
    if not (text.isdecimal() and int(text) >= 1):
        raise ConfigError(f"--questions={text}: say how many, from 1, or {ALL}")
    return int(text)


SUITE = ExploretomSuite()

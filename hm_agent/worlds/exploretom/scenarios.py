"""ExploreToM's scenarios: action sets with literal or functional questions, matched pairs, and data sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.matched_pairs import HalfOfKind, pairs_metric
from hm_agent.metrics import SHARE, Metric
from hm_agent.worlds.exploretom.pairs.kinds import BOTH, PAIR_SCENARIOS, SEATS, StoryPairKind
from hm_agent.worlds.exploretom.random_stories.action_sets import ACTION_SETS, ActionSet

PREFIX = "exploretom_"
FUNCTIONAL = "functional_"
DATASET = "exploretom_dataset"
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


def listed_scenarios() -> Iterator[ScenarioInfo]:
    """Yields the action sets with literal, then with functional questions, the pairs, and the one for data sets."""
    for functional in (False, True):
        yield from (_action_set_scenario(action_set, functional=functional) for action_set in ACTION_SETS.values())
    yield from (_pairs_scenario(name, pairs) for name, pairs in PAIR_SCENARIOS.items())
    yield _dataset_scenario()


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

"""Results as an experiment leaves them, for tests that need certain numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import Option, Setting, Suite
from hm_agent.metrics import Metric, PublishedFigure
from hm_agent.recording.result import Result, SeatResult, write_result

RWS, PD = "running_with_scissors_in_the_matrix__repeated_1", "prisoners_dilemma_in_the_matrix__repeated_5"
KITCHEN = "collaborative_cooking__asymmetric_1"
RWS_2, RWS_3 = RWS.replace("_1", "_2"), RWS.replace("_1", "_3")
SELF_PLAY = "running_with_scissors_in_the_matrix__arena_selfplay"
SETTINGS = {"seed": 0, "max_steps": None, "bots": "scripted", "top_k": 5}
_PLAYED = Result(
    world="melting_pot",
    scenario=RWS,
    agent="hypothetical_minds",
    model="builtin",
    episode=0,
    seed=1,
    status="completed",
    reason="",
    steps=1200,
    reward=0.0,
    metrics={},
    background=("bot",),
    questions=20,
    unanswered_questions=0,
    model_calls=0,
    cached_calls=0,
    input_tokens=0,
    output_tokens=0,
    cost=0.0,
    agent_ms_per_step_median=0.1,
    wall_seconds=1.0,
    versions={"python": "3.11"},
    settings=SETTINGS,
)


def result(agent: str = "hypothetical_minds", reward: float = 0.0, seed: int = 1, **changes: Any) -> Result:
    """A finished episode but for what is changed. Its metric is its reward."""
    known: dict[str, Any] = {
        "agent": agent,
        "reward": reward,
        "metrics": {"normalised_reward": reward, "interactions": 10},
        "seed": seed,
        "episode": seed,
    }
    return replace(_PLAYED, **(known | changes))


def settings(**changes: Any) -> dict[str, Any]:
    """The settings of `result` but for what is changed."""
    return {**SETTINGS, **changes}


def shared_result(*seats: tuple[str, float], **changes: Any) -> Result:
    """A finished episode of self-play in which agents earned rewards, seat by seat."""
    played = tuple(
        SeatResult(f"player_{place}", agent, "builtin", reward, questions=place)
        for place, (agent, reward) in enumerate(seats)
    )
    names = "+".join(dict.fromkeys(agent for agent, _ in seats))
    mean = sum(reward for _, reward in seats) / len(seats)
    known = {"scenario": SELF_PLAY, "seats": played, "background": (), "settings": settings(bots=None)}
    return result(names, mean, **(known | changes))


def leave(out: Path, *results: Result) -> None:
    """Writes results where an experiment would."""
    for one in results:
        folder = out / one.scenario / one.agent / one.model / f"episode-{one.episode}"
        folder.mkdir(parents=True)
        write_result(one, folder)


def read(
    agent: str,
    accuracy: float,
    seed: int = 1,
    scenario: str = "exploretom_a1",
    kinds: Mapping[str, float] | None = None,
) -> Result:
    """A finished story: the share of questions answered rightly, and such shares of kinds of questions by metric."""
    known = {"world": "exploretom", "scenario": scenario, "settings": {"seed": 0, "max_steps": None}}
    return result(agent, accuracy, seed, **known, metrics={"accuracy": accuracy, **(kinds or {})})


DIARY = PublishedFigure(7.0, 1.0, "a postman's diary", "on foot")


class DeliverySuite(Suite):
    """A world whose metric is better the lower it is, in a unit of its own."""

    name = title = "delivery"
    options = (Option("traffic", "How many cars there are.", changes_world=True),)

    @property
    def scenarios(self) -> Sequence[ScenarioInfo]:
        metric = Metric("minutes", "minutes per parcel", higher_is_better=False, floor="random", ceiling="react")
        known = ScenarioInfo("delivery", DELIVERY, DELIVERY, "Delivery", metric=metric, published={"vmp": DIARY})
        return [known, replace(known, name=HELD_OUT, short_name=HELD_OUT, published={}, held_out=True)]

    def notes(self, settings: Mapping[str, Setting]) -> Sequence[str]:
        return () if settings.get("traffic") else ("The roads are empty.",)


DELIVERY, HELD_OUT = "delivery_0", "delivery_1"
SUITE = DeliverySuite()


def delivered(agent: str, minutes: float, seed: int = 1, **changes: Any) -> Result:
    """A finished episode in this world."""
    known = {"world": "delivery", "scenario": DELIVERY, "metrics": {"minutes": minutes}}
    return result(
        agent, 0, seed, **({**known, "settings": {"seed": 0, "max_steps": None, "top_k": 5, "traffic": None}} | changes)
    )

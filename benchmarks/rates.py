"""Records how many questions and tokens each agent takes in each kind of game, for `hm-agent play --estimate`.

The built-in reasoner answers; prompts are those that a language model would be sent, and answers are written as JSON.
Episodes go to `runs/rates`, and the same command goes on there; the rates go into the package.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from math import ceil
from pathlib import Path
from typing import Any

from benchmarks.tokens import CHARACTERS_PER_TOKEN
from hm_agent.catalogue.casting import can_play
from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import shared_agents, suites
from hm_agent.experiment import Experiment
from hm_agent.experiment.estimate import RECORDED, rates_of
from hm_agent.models.builtin import BuiltinReasoner, ReasonerTable
from hm_agent.models.prompts import render
from hm_agent.models.providers import register_model
from hm_agent.models.settings import BUILTIN, PERSON, ModelSettings
from hm_agent.pool.progress import NoProgress
from hm_agent.pool.run import run
from hm_agent.questions import AnswerT, ModelCall, Question, ignore
from hm_agent.reporting.runs import read_runs
from hm_agent.storage.files import write_whole

OUT = Path("runs/rates")
PLAYED = {
    "melting_pot": "rws_repeated_[01],rws_arena_[01],rws_one_shot_0,pd_repeated_[01],pd_arena_0,"
    "cooking_asymmetric_[01]",
    "symmtom": "symmtom_w6_n3_c[39],symmtom_w6_n4_c4,symmtom_test_order_[01]_w12,symmtom_mixed_keepers_even",
    "exploretom": "exploretom_a[14],exploretom_a[14]_asymmetric,exploretom_functional_a1,exploretom_pairs_order_1_even",
    "enacttom": "enacttom_cooperative_k1_00[01],enacttom_mixed_k2_00[01],enacttom_hard_k1_blanks_00_a",
    "matrix_games": "mg_pd_either,mg_pd_selfplay,mg_rps_pure,mg_mod_pure,mg_brief_steps,"
    "mg_drawn_average_1,mg_drawn_boldest_2,mg_drawn_average_3",
}
"""The scenarios that stand for each kind of game, by world."""
READERS = ("reader", "reader_cot", "perspective", "hypothetical_minds", "hm_odds")
"""The agents of ExploreToM that ask."""


class CountingReasoner:
    """The built-in reasoner, with the tokens of what a language model would be sent and would write."""

    name = "counted"

    def __init__(self, answers: ReasonerTable) -> None:
        self._reasoner = BuiltinReasoner(answers)

    async def answer(self, question: Question[AnswerT], note: Callable[[ModelCall], None] = ignore) -> AnswerT:
        answer = await self._reasoner.answer(question)
        prompt, reply = render(question), answer.model_dump_json()
        sent, written = (ceil(len(text) / CHARACTERS_PER_TOKEN) for text in (prompt, reply))
        note(ModelCall(prompt, (reply,), None, sent, written))
        return answer


def experiments() -> Iterator[Experiment]:
    """What is played: an episode of each scenario by each agent that asks and can play it, by world and scenario."""
    for world, names in PLAYED.items():
        suite = suites()[world]
        model = ModelSettings(f"counted_{world}")
        register_model(model.name, lambda seed, suite=suite: CountingReasoner(suite.answers()))  # type: ignore[misc]
        for scenario in find_scenarios(names.split(",")):
            asking = READERS if world == "exploretom" else [name for name in shared_agents() if name != PERSON]
            agents = tuple(name for name in asking if can_play(name, scenario))
            bots = {"bots": "scripted"} if world == "melting_pot" else {}
            yield Experiment((scenario,), agents, model=model, out=OUT, options=bots, record_replay=False)


def rounded(value: Any) -> Any:
    """The value without what is None, and with four significant digits."""
    if isinstance(value, dict):
        return {name: rounded(part) for name, part in value.items() if part is not None}
    return float(f"{value:.4g}") if isinstance(value, float) else value


def main() -> None:
    for experiment in experiments():
        run(experiment, NoProgress())
    rates = [replace(rate, model=BUILTIN, seconds=None) for rate in rates_of(read_runs([OUT]).results)]
    lines = (json.dumps(rounded(asdict(rate))) for rate in rates)
    write_whole(RECORDED, "[\n" + ",\n".join(lines) + "\n]\n")
    print(f"{len(rates)} rates in {RECORDED}")

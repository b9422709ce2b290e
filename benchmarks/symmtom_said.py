"""How much can be said rightly of who knows what in matched pairs, without a thought of anybody.

`python -m benchmarks.symmtom_said`: a model that takes everybody to know each piece that anybody, itself too, said in
its hearing answers the literal questions of the battery; the built-in reasoner answers all others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from statistics import mean

from hm_agent.matched_pairs import HALVES
from hm_agent.models.builtin import BuiltinReasoner
from hm_agent.registry import scenario_named, suites
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.theory_of_mind.mind_questions import AskProbes, ProbesAnswer
from hm_agent.worlds.symmtom.language.board import Board
from hm_agent.worlds.symmtom.language.reasoner import ANSWERS
from hm_agent.worlds.symmtom.pairs.kinds import KINDS, PAIRS


def by_what_was_said(question: AskProbes) -> ProbesAnswer:
    board = question.situation
    assert isinstance(board, Board)
    said = {piece for talk in board.talks for _, pieces in talk.said for piece in pieces}
    asked = [int(re.findall(r"know (\d+) now", claim)[0]) for claim in question.claims]
    return ProbesAnswer(answers=["yes" if piece in said else "no" for piece in asked])


def answered(order: int) -> Iterator[tuple[float, float, float]]:
    """Of each board of all pairs of an order: how many questions, the share that was right, and that of always yes."""
    model, options = BuiltinReasoner({**ANSWERS, AskProbes: by_what_was_said}), suites()["symmtom"].battery_options
    for kind in (name for name, kind in KINDS.items() if kind.order == order):
        for half in HALVES:
            for number in range(PAIRS):
                scenario = scenario_named(f"symmtom_pairs_{kind}_{half}")
                world, agents = set_up(scenario, "react", model=model, seed=number, **options)
                play_out(world, agents, seed=number)
                for metrics in (agent.metrics() for agent in agents.values()):
                    yield metrics["literal_asked"], metrics["literal_right"], metrics["literal_true"]


def main() -> None:
    print("| needed order | questions | right | better of always yes and always no | skill |")
    print("| --- | --- | --- | --- | --- |")
    for order in sorted({kind.order for kind in KINDS.values()}):
        asked, right, true = zip(*answered(order), strict=True)
        base = max(mean(true), 1 - mean(true))
        figures = (mean(right), base, (mean(right) - base) / (1 - base))
        print(f"| {order} | {sum(asked):.0f} | {' | '.join(f'{figure:.2f}' for figure in figures)} |", flush=True)


if __name__ == "__main__":
    main()

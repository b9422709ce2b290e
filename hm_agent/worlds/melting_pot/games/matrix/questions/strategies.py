"""What is asked in a matrix game without reading minds: high-level strategies, and what they would have paid.

For PlanReAct (appendix D.3) and for hypotheses that are evaluated by reward (HE + HR, section 4.5 and appendix E).
"""

from __future__ import annotations

from dataclasses import dataclass

from hm_agent.core import Counts, Hypothesis
from hm_agent.questions import Question, Words
from hm_agent.theory_of_mind.by_reward import HindsightAnswer
from hm_agent.worlds.melting_pot.games.matrix.questions.minds import ChoiceAnswer
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, Rules, check_players


class StrategyAnswer(ChoiceAnswer):
    """A strategy in words, whom to meet by it next, and what to hold then, by behaviour."""

    strategy: Words


@dataclass(frozen=True, slots=True)
class MakeStrategy(Question[StrategyAnswer]):
    """By which strategy to go on?

    history: the interactions with everybody. players: the names of the others. best: earlier strategies that paid, the
    best first.
    """

    template = "melting_pot/matrix/make_strategy.j2"
    schema = StrategyAnswer
    rules: Rules
    history: tuple[MatrixInteraction, ...]
    players: tuple[str, ...]
    best: tuple[Hypothesis, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        return self.rules.behaviours

    def check(self, answer: StrategyAnswer) -> None:
        self.rules.check("own_next", answer.own_next)
        check_players("seek", answer.seek, self.players)


@dataclass(frozen=True, slots=True)
class FollowStrategy(Question[ChoiceAnswer]):
    """What to hold next by a strategy, and whom to meet?"""

    template = "melting_pot/matrix/follow_strategy.j2"
    schema = ChoiceAnswer
    rules: Rules
    history: tuple[MatrixInteraction, ...]
    players: tuple[str, ...]
    strategy: str

    @property
    def keys(self) -> tuple[str, ...]:
        return self.rules.behaviours

    def check(self, answer: ChoiceAnswer) -> None:
        self.rules.check("own_next", answer.own_next)
        check_players("seek", answer.seek, self.players)


@dataclass(frozen=True, slots=True)
class JudgeStrategy(Question[HindsightAnswer]):
    """What would an interaction have paid, had one held this instead?"""

    template = "melting_pot/matrix/judge_strategy.j2"
    schema = HindsightAnswer
    rules: Rules
    encounter: MatrixInteraction
    instead: Counts

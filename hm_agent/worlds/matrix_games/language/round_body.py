"""The body of agents that play a matrix game in language: the shared one, with this world's notes and plays."""

from __future__ import annotations

from collections.abc import Sequence

from hm_agent.agents.planning_body import NoProbes, Notes
from hm_agent.agents.reflection import Reflector
from hm_agent.agents.written_body import WrittenBody, WrittenFollower, written_body
from hm_agent.core import Event, Observation
from hm_agent.models.prompts import phrase
from hm_agent.questions import Model
from hm_agent.theory_of_mind.situation import PlanRecord
from hm_agent.worlds.matrix_games.language.rounds import Play, RoundPlayed, RoundSeen, RoundSituation
from hm_agent.worlds.matrix_games.views import RoundView

OTHER = "the other player"
"""What agents call whom they play."""
MatrixGameBody = WrittenBody[RoundView, str, RoundSituation]


class RoundNotes(Notes[RoundView, RoundSituation, str]):
    """Keeps the present round; the world's views hold all earlier ones."""

    def __init__(self) -> None:
        self._situation: RoundSituation

    @property
    def situation(self) -> RoundSituation:
        return self._situation

    def read(self, observation: Observation[RoundView]) -> Sequence[Event]:
        view = observation.view
        self._situation = RoundSituation(view, OTHER)
        if not view.history:
            return []
        past, number = view.history[-1], len(view.history)
        return [RoundSeen(observation.step, RoundPlayed(number, OTHER, past.own, past.other, past.reward))]


class PlayFollower(WrittenFollower[RoundSituation, str]):
    """Plays what the plan says in its round; every round is asked about anew."""

    def __init__(self) -> None:
        self.plan: tuple[Play, ...] = ()
        self._done = 0

    @property
    def record(self) -> PlanRecord:
        return PlanRecord(self.plan, self._done, len(self.plan), self.plan[self._done :])

    def follow(self, plan: Sequence[Play], *, is_forced: bool = False) -> None:
        self.plan, self._done = tuple(plan), 0

    def observe(self, situation: RoundSituation, events: Sequence[Event], because: str | None) -> str:
        self._done = len(self.plan)
        return because or phrase("matrix_games/reasons.j2", "next_round")

    def default_plan(self, situation: RoundSituation) -> Sequence[Play]:
        """What it played last, at first the first action."""
        history = situation.view.history
        return (Play(history[-1].own if history else situation.side.actions[0]),)

    def next_action(self, situation: RoundSituation) -> str:
        return self.plan[0].action


def matrix_game_body(model: Model, reflector: Reflector) -> MatrixGameBody:
    """The body of one seat."""
    return written_body(RoundNotes(), PlayFollower(), [OTHER], model, reflector, NoProbes())

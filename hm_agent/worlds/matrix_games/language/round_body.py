"""The body of agents that play a matrix game in language: the shared one, with this world's notes and plays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hm_agent.agents.planning_body import NoProbes, Notes
from hm_agent.agents.reflection import Reflector
from hm_agent.agents.written_body import WrittenBody, WrittenFollower, written_body
from hm_agent.core import Event, Interaction, Observation
from hm_agent.models.prompts import phrase
from hm_agent.questions import Asking, Model
from hm_agent.theory_of_mind.language_mind import ask_table_odds
from hm_agent.theory_of_mind.mind import PlayerModel
from hm_agent.theory_of_mind.player_odds import PlayerOdds, TableOdds
from hm_agent.theory_of_mind.written_mind import WrittenMind, WrittenStrategy
from hm_agent.worlds.matrix_games.language.rounds import Play, RoundPlayed, RoundSeen, RoundSituation
from hm_agent.worlds.matrix_games.views import RoundView

OTHER = "the other player"
"""What agents call whom they play."""


class RoundNotes(Notes[RoundView, RoundSituation, str]):
    """Keeps the present round; the world's views hold all earlier ones."""

    _situation: RoundSituation

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


@dataclass(frozen=True, slots=True)
class ChosenAction(WrittenStrategy):
    """A strategy that was calculated. action: what to play in this round."""

    action: str = ""


class RoundMind(WrittenMind):
    """The shared mind, and what calculating needs of the table."""

    situation: RoundSituation
    _asked_in = 0
    """The round in which it asked for chances last."""

    @property
    def outdated(self) -> str | None:
        """The other player, where nobody is told of rounds and another table may have come."""
        view = self.situation.view
        return OTHER if view.untold is not None and view.round > self._asked_in else None

    def ask_odds(self, other: PlayerModel) -> Asking[PlayerOdds]:
        view = self.situation.view
        self._asked_in = view.round
        return ask_table_odds(self, other, view.left if view.tables is None else 1, self._moves_in)

    def _moves_in(self, interaction: Interaction) -> tuple[int, int]:
        assert isinstance(interaction, RoundPlayed)
        side = self.situation.side
        return side.actions.index(interaction.own), side.others.index(interaction.behaviour)

    def respond(self, odds: Mapping[str, PlayerOdds]) -> ChosenAction:
        (about_the_other,) = odds.values()
        assert isinstance(about_the_other, TableOdds)
        action = self.situation.side.actions[about_the_other.choice]
        return ChosenAction(phrase("matrix_games/blocks.j2", "chosen", action=action), action=action)


class PlayFollower(WrittenFollower[RoundSituation, str]):
    """Plays what the plan says in its round; every round is asked about anew, but where it was calculated."""

    plan: tuple[Play, ...]

    def observe(self, situation: RoundSituation, events: Sequence[Event], because: str | None) -> str:
        self._done = len(self.plan)
        return because or phrase("matrix_games/messages.j2", "next_round")

    def forced_plan(self, situation: RoundSituation, strategy: WrittenStrategy, because: str | None) -> Sequence[Play]:
        return (Play(strategy.action),) if isinstance(strategy, ChosenAction) else ()

    def default_plan(self, situation: RoundSituation) -> Sequence[Play]:
        """What it played last, at first the first action."""
        history = situation.view.history
        return (Play(history[-1].own if history else situation.side.actions[0]),)

    def next_action(self, situation: RoundSituation) -> str:
        return self.plan[0].action


def matrix_game_body(model: Model, reflector: Reflector) -> WrittenBody[RoundView, str, RoundSituation]:
    notes = RoundNotes()
    return written_body(notes, PlayFollower(), RoundMind([OTHER], notes), model, reflector, NoProbes())

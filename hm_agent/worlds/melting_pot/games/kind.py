"""What the rest of the wing needs to know of a kind of games: its seam, which each folder in games/ fills."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from hm_agent.agents.agent import BodyBuilder, ThinkingBody
from hm_agent.agents.reflection import Reflector
from hm_agent.config import ConfigError
from hm_agent.core import Observation, Strategy, World
from hm_agent.matched_pairs import HalfOfKind
from hm_agent.models.builtin import ReasonerTable
from hm_agent.questions import Model, Question
from hm_agent.theory_of_mind.mind import BasicMind, Mind
from hm_agent.theory_of_mind.strategist import Strategist
from hm_agent.worlds.melting_pot.facts import FOCAL, Counts, GameFacts

if TYPE_CHECKING:
    from hm_agent.worlds.melting_pot.games.game import Game
    from hm_agent.worlds.melting_pot.games.options import AgentOptions
    from hm_agent.worlds.melting_pot.perception.perceiver import SubstrateVision
    from hm_agent.worlds.melting_pot.simulator.bots.game_bots import GameBots

FactsT = TypeVar("FactsT", bound=GameFacts)
STEPS = ("noop", "forward", "backward", "step_left", "step_right", "turn_left", "turn_right")
"""The names of the actions that every substrate has, by their numbers."""

Reader: TypeAlias = Callable[[Observation[Any], int], str]
"""Says what a player knows after an observation and its own action since the one before, 0 at the first."""


def imported(place: str) -> Any:
    """What stands at `module:name` in this wing. It is imported now: it needs what suites and lists do without."""
    module, _, name = place.partition(":")
    return getattr(import_module(f"hm_agent.worlds.melting_pot.{module}"), name)


class Kind(Protocol[FactsT]):
    """A kind of games. It is imported with the suite, so that its methods import what is heavy only when called.

    A subclass may leave out what has a value or a body here; with neither `game` nor a `body` of its own, only agents
    that need no body play its games, and without `bots` all bots are trained.

    actions: the names of its substrates' actions, by their numbers; empty if these differ. script: what only its games
    show in a replay. knows_bots: False if nothing is known of its games' bots, so that no scripted player stands in for
    them, and no agent can be told what they aim for. counts_on_all: True if what pays depends on what all others do
    together, so that `oracle`, which is told of bots alone, is no ceiling beside other agents. has_paid_interactions:
    True if players are paid for each interaction of two. counts_interactions: False if nothing in its games is counted
    as one. is_framed: False if pictures don't frame players, since to ask the engine where they are could change what
    happens. infers_inventories: True if agents find out what others held. offers: what the minds of its games answer
    beyond `BasicMind`; None if no agent that thinks plays them. shortcuts: the agents of its games that model no mind,
    by name, with what they do; in games of paid interactions they play those of two. pair_shortcuts: those that play
    matched pairs. facts_at, game_at, situation_at,
    answers_at, bots_at: where `imported` finds the class of its files, what builds a game, the class of what questions
    show, the reasoner's functions, and what builds the bots; empty for none.
    """

    actions: tuple[str, ...]
    script: Path
    knows_bots: bool = True
    counts_on_all: bool = False
    has_paid_interactions: bool = False
    counts_interactions: bool = True
    is_framed: bool = True
    infers_inventories: bool = False
    shortcuts: Mapping[str, str] = {}
    pair_shortcuts: Collection[str] = ()
    offers: Sequence[type[BasicMind]] | None = (Mind,)
    facts_at: str = ""
    game_at: str = ""
    situation_at: str = ""
    answers_at: str = ""
    bots_at: str = "simulator.bots.game_bots:GameBots"

    @property
    def facts(self) -> type[FactsT]:
        """The class of the files of its games; its `game` is a `Literal` of the name in the table of kinds."""
        facts: type[FactsT] = imported(self.facts_at)
        return facts

    def game(self, facts: FactsT, vision: SubstrateVision, options: AgentOptions, slot: int) -> Game:
        """One of its games as the player of a slot plays it through one episode."""
        if not self.game_at:
            raise ConfigError(
                f"no agent that plans plays {facts.title}: its kind {facts.game!r} has no game to plan in"
            )
        game: Game = imported(self.game_at)(facts, vision, options, slot)
        return game

    def body(self, facts: FactsT, options: AgentOptions, slot: int, *, is_column: bool = False) -> BodyBuilder:
        """What builds the body of the player of a slot; by default one that plans in its `game`."""
        from hm_agent.worlds.melting_pot.body import melting_pot_body
        from hm_agent.worlds.melting_pot.simulator.substrate import vision_of

        def build(model: Model, reflector: Reflector) -> ThinkingBody:
            vision = vision_of(facts.short_name, slot, is_column=is_column)
            return melting_pot_body(self.game(facts, vision, options, slot), facts.beam, vision, model, reflector)

        return build

    def reader(self, facts: FactsT, slot: int, *, is_column: bool = False) -> Reader:
        """What puts every observation of one player's episode into words, in order."""
        from hm_agent.worlds.melting_pot.perception.perceiver import Perceiver
        from hm_agent.worlds.melting_pot.simulator.substrate import vision_of

        vision = vision_of(facts.short_name, slot, is_column=is_column)
        perceiver, kinds = Perceiver(vision), tuple(dict.fromkeys(vision.roles.kinds.values()))
        return lambda observation, action: perceiver.see(observation.view["RGB"], action).describe(kinds)

    def worn(self, facts: FactsT) -> Mapping[str, str]:
        """The players' names by the sprites that tell them apart on the whole map; empty if none do."""
        sprites = facts.sprites
        return {sprites.focal: FOCAL, **sprites.players} if sprites.focal else {}

    def situation(self) -> type[Any]:
        """The class of what questions show of a seat in its games; the kind itself if its questions share none."""
        situation: type[Any] = imported(self.situation_at) if self.situation_at else type(self)
        return situation

    def answers(self) -> ReasonerTable:
        """The built-in reasoner's functions for the questions that its games ask."""
        answers: ReasonerTable = imported(self.answers_at) if self.answers_at else {}
        return answers

    def planning_questions(self) -> Sequence[type[Question[Any]]]:
        """The questions that are asked because a new plan is needed; all others follow from events."""
        return ()

    def shortcuts_in(self, facts: FactsT) -> Collection[str]:
        """The names of the shortcuts that can play one of its games."""
        return self.shortcuts

    def shortcut(self, name: str) -> Callable[[Any, Model], Strategist]:
        """What builds the strategist of a shortcut from the mind and the model."""
        raise ConfigError(f"no shortcut {name!r}")

    def bots(self, facts: FactsT) -> GameBots[Any]:
        """The bots of one of its games, in the simulator."""
        bots: GameBots[Any] = imported(self.bots_at)(facts)
        return bots

    def count_interactions(self, facts: FactsT, observation: Mapping[str, Any], reward: float) -> int:
        """How many interactions a step brought a player. observation: all that the substrate tells of the player."""
        return 0

    def target(self, strategy: Strategy | None) -> Counts | None:
        """The inventory that a strategy is to reach; None if it says nothing of that."""
        return None

    def pairs_on(self, facts: FactsT) -> Mapping[str, HalfOfKind[Any]]:
        """The matched pairs that are played on a game, by the names of their scenarios."""
        return {}

    def pair_world(self, facts: FactsT, pairs: HalfOfKind[Any]) -> World[Any, Any]:
        """The world of matched pairs, each of two boards with a seat in the first player's place."""
        raise ConfigError(f"no matched pairs are played on {facts.title}")

    def problems(self, facts: FactsT, settings: Mapping[str, Any]) -> Iterator[str]:
        """Contradictions between what only its files state and a substrate's lab2d settings, each in one line."""
        return iter(())

    def file(self, substrate: str) -> str:
        """The file of a game on a substrate, as far as its configuration gives it; empty if it is of another kind."""
        return ""

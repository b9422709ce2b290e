"""Scripted players of open games: each sees only its own frames, as agents do, and plans by a rule.

A rule says what to do next by what its player knows; how that is done is the same for agents and scripted players.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from enum import IntEnum
from functools import partial
from typing import Any

from meltingpot.configs.bots import BOT_CONFIGS
from meltingpot.utils.policies import policy as policy_lib

from hm_agent.config import ConfigError
from hm_agent.core import Observation
from hm_agent.worlds.melting_pot.facts import UnseenFacts
from hm_agent.worlds.melting_pot.games.open.calls import LookAround, WalkTo
from hm_agent.worlds.melting_pot.games.open.follower import OpenFollower
from hm_agent.worlds.melting_pot.games.open.grid_view import GridView
from hm_agent.worlds.melting_pot.games.open.notes import OpenNotes
from hm_agent.worlds.melting_pot.games.open.open_facts import StandIns, SubstrateFacts
from hm_agent.worlds.melting_pot.games.open.open_parts import OpenParts
from hm_agent.worlds.melting_pot.games.open.seat import OpenSeat, PlayingRule
from hm_agent.worlds.melting_pot.games.open.simulator.stand_ins import as_words, written_rule
from hm_agent.worlds.melting_pot.perception.sprites import Pixels
from hm_agent.worlds.melting_pot.scenarios import scenario_named
from hm_agent.worlds.melting_pot.simulator.bots.frame_policy import GOAL, FramePolicy
from hm_agent.worlds.melting_pot.simulator.bots.game_bots import GameBots
from hm_agent.worlds.melting_pot.simulator.substrate import DRAWS

DEALT, DRAWN = "dealt", "drawn"
"""The puppeteers of several rules, their parameter `rules`: each player has one of them, or all have the same one."""


class RulePlayer:
    """One scripted player in one episode."""

    def __init__(self, notes: OpenNotes, follower: OpenFollower, rule: PlayingRule) -> None:
        self._notes, self._follower, self._rule, self._step = notes, follower, rule, -1
        self._has: Set[str] = frozenset()

    @property
    def intent(self) -> str:
        """What it aims for: its rule in words."""
        return self._rule.words

    def act(self, frame: Mapping[str, Any], reward: float) -> IntEnum:
        """Perceives the next frame and chooses an action."""
        self._step += 1
        self._notes.read(Observation(self._step, frame, reward))
        seat, follower = self._notes.situation, self._follower
        had, self._has = self._has, seat.has.keys() & self._rule.changed_by
        if follower.observe(seat, (), None) or self._has - had:
            follower.follow(())
        action = follower.reflex(seat)
        if action is None:
            action = follower.next_action(seat)
        if action is None:
            action = self._planned(seat)
        self._notes.note_action(action)
        return action

    def _planned(self, seat: OpenSeat) -> IntEnum:
        """The first action of a new plan: the rule's, else a look elsewhere; none that has just failed."""
        places = map(WalkTo, seat.unseen_inside)
        plans = (self._rule.next(seat), *([place] for place in places), [LookAround()])
        self._follower.follow(next(plan for plan in plans if plan and plan[0] != self._follower.failed))
        action = self._follower.next_action(seat)
        return self._follower.last_resort(seat) if action is None else action


class OwnSlotPlayer:
    """A scripted player that finds out its slot by its own look, in its first frame.

    own_slot: the slot of the player that sees a frame. build: makes the player of a slot.
    """

    def __init__(self, own_slot: Callable[[Pixels], int], build: Callable[[int], RulePlayer]) -> None:
        self._own_slot, self._build = own_slot, build
        self._player: RulePlayer | None = None

    @property
    def intent(self) -> str | None:
        return self._player.intent if self._player else None

    def act(self, frame: Mapping[str, Any], reward: float) -> IntEnum:
        if self._player is None:
            self._player = self._build(self._own_slot(frame["RGB"]))
        return self._player.act(frame, reward)


class PuppetPlayer(RulePlayer):
    """A puppet in one episode. goals: what it does, by the number of its puppeteer's GOAL.

    words: its puppeteer's rule; None to be known by the goal.
    """

    def __init__(
        self, notes: OpenNotes, follower: OpenFollower, goals: Sequence[PlayingRule], words: str | None = None
    ) -> None:
        super().__init__(notes, follower, goals[0])
        self._goals, self._words = goals, words

    @property
    def intent(self) -> str:
        return self._words or self._rule.words

    def act(self, frame: Mapping[str, Any], reward: float) -> IntEnum:
        self.aim(int(frame[GOAL].argmax()))
        return super().act(frame, reward)

    def aim(self, goal: int) -> None:
        """Takes in a goal; another one ends the plan."""
        if self._goals[goal] is not self._rule:
            self._rule = self._goals[goal]
            self._follower.follow(())


def kind_of_bot(bot: str) -> str:
    """The name of one of Melting Pot's bots without its substrate and its number."""
    return bot.removeprefix(f"{BOT_CONFIGS[bot].substrate}__").rstrip("_0123456789")


class RuleBots(GameBots[SubstrateFacts]):
    """The scripted players of one open game, by the rules of its kind or by what its file says in calls."""

    def __init__(self, game: SubstrateFacts, parts: OpenParts) -> None:
        super().__init__(game)
        self._parts = parts

    @property
    def visions(self) -> Sequence[Any]:
        return ()

    def has_no_model(self, bot: str) -> bool:
        return bot not in BOT_CONFIGS

    def stand_in(self, bot: str, slot: int) -> RulePlayer:
        """The player of a slot in place of one of Melting Pot's bots."""
        parts, is_puppet = self._parts, BOT_CONFIGS[bot].puppeteer_builder is not None
        if told := self._game.stand_ins:
            return self._told_puppet(told, slot) if is_puppet else self._told_player(told, kind_of_bot(bot), slot)
        rule = next((rule for part, rule in parts.stand_ins.items() if part in bot), None)
        if is_puppet and parts.goals:
            words = parts.rules(self._game, slot)[rule].words if rule else None
            return PuppetPlayer(*parts.senses(self._game, slot), parts.goals, words)
        if rule is None:
            raise ConfigError(f"{bot}: no scripted player stands in for it: use trained bots")
        return self._player(self._game, 0, slot, [rule])

    def _told_puppet(self, told: StandIns, slot: int) -> PuppetPlayer:
        goals = [written_rule(self._game, calls) for calls in told.goals]
        return PuppetPlayer(*self._parts.senses(self._game, slot), goals)

    def _told_player(self, told: StandIns, bot: str, slot: int) -> RulePlayer:
        name = told.name_in(slot, bot)
        having = told.having.get(name, {})
        game = replace(self._game, having={**self._game.having, **{thing: as_words(having[thing]) for thing in having}})
        return RulePlayer(*self._parts.senses(game, slot), written_rule(game, told.bots[name], having))

    def own_slot(self, rgb: Pixels) -> int:
        """The slot of the player that sees a frame, with the usual roles; the first one where players look alike.

        Where looks are drawn for each episode, it is the last one, since agents have the first.
        """
        if self._game.substrate in DRAWS:
            return self._game.players - 1
        views = [GridView.of(self._game.substrate, slot) for slot in range(self._game.players)]
        label = views[0].atlas.labels[views[0].atlas.label(rgb)[views[0].window.own_index]]
        names = {sprite.name for sprite in label.sprites}
        return next((slot for slot, view in enumerate(views) if names & view.own), 0)

    def puppeteer(self, unseen: UnseenFacts) -> None:
        """None: each player follows a rule by itself. Raises ConfigError for an unknown one."""
        self._named(unseen)

    def _named(self, unseen: UnseenFacts) -> tuple[str, ...]:
        """The names of the rules of an unseen scenario."""
        given = unseen.parameters.get("rules", ())
        names = given if unseen.puppeteer in (DEALT, DRAWN) and isinstance(given, tuple) else (unseen.puppeteer,)
        rules = {name for slot in range(self._game.players) for name in self._parts.rules(self._game, slot)}
        for name in names:
            if name not in rules:
                known = ", ".join((*sorted(rules), DEALT, DRAWN))
                raise ConfigError(f"{unseen.short_name}: unknown puppeteer {name!r}: there is {known}")
        return tuple(map(str, names))

    def scripted(
        self, bot: str, visions: Sequence[Any], stream: random.Random, *, is_puppet: bool
    ) -> policy_lib.Policy[Any]:
        if bot in BOT_CONFIGS:
            # Which of a role's slots it plays is drawn.
            return FramePolicy(lambda: OwnSlotPlayer(self.own_slot, partial(self.stand_in, bot)))
        scenario = scenario_named(bot)
        assert scenario.unseen, "all other bots are Melting Pot's"
        names = list(self._named(scenario.unseen))
        stream.shuffle(names)
        dealt = names if scenario.unseen.puppeteer == DEALT else names[:1]
        slots = [slot for slot in range(scenario.players) if slot not in scenario.unseen.focal_slots]
        game, places = scenario.game_of(slots[0]), enumerate(slots)
        assert isinstance(game, SubstrateFacts)
        return FramePolicy(lambda: self._player(game, *next(places), dealt))

    def _player(self, game: SubstrateFacts, place: int, slot: int, names: Sequence[str]) -> RulePlayer:
        """The player of a slot, with the rule of its place among those of these that its role has."""
        rules = self._parts.rules(game, slot)
        own = [rules[name] for name in names if name in rules] or [*rules.values()][:1]
        return RulePlayer(*self._parts.senses(game, slot), own[place % len(own)])

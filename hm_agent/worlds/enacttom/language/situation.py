"""What questions about a household show: the views so far, the messages in them, and the partners' noticed acts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from hm_agent.core import Event
from hm_agent.models.prompts import phrase
from hm_agent.questions import Forms, check_all, one_of
from hm_agent.theory_of_mind.seat_question import check_name
from hm_agent.theory_of_mind.situation import Behaviour, Call, InteractionSeen, NoticedInteraction, SeatSituation
from hm_agent.worlds.enacttom.house.commands import HouseCommand, Verb
from hm_agent.worlds.enacttom.house.runtime import HouseMessage, OutcomeKind
from hm_agent.worlds.enacttom.house.views import HouseView
from hm_agent.worlds.enacttom.language.written_commands import (
    check_plan,
    command_pattern,
    context_of,
    first_command_pattern,
    read_commands,
)
from hm_agent.worlds.enacttom.tasks.propositions import Is, Proposition

WRITES, HANDLES = "writes", "handles"
ACT_KINDS = (WRITES, HANDLES)
"""The kinds of acts that an agent can notice: another agent writes to it, or handles something in its sight."""
NOTHING, NEW = "nothing", "something new"
"""What an answer names if an act is about nothing in particular, or about a thing that no act was about before."""
SHOWN_MESSAGES = 8
"""How many of the messages before the present turn a prompt shows; that of the probes shows all."""
MOST_COMMANDS = 10
"""The largest number of commands in a plan; a longer one would be outdated long before its end."""

MOST_FACTS = 8
"""The largest number of facts of which it is asked how likely another agent knows them."""

_WORD = re.compile(r"[A-Za-z][\w-]*")
_OBJECT = re.compile(r"[A-Za-z][A-Za-z_]*_\d{1,4}")
_LOOKED_AT = (Is.ON_TOP, Is.INSIDE, Is.ON_FLOOR, Is.OPEN, Is.CLOSED)
_SEEN_TOGETHER = (*_LOOKED_AT, Is.HELD_BY)


class NextAct(Behaviour):
    """The next act of a partner that the agent will notice. about: a thing, `nothing` or `something new`."""

    does: str
    about: str

    @property
    def words(self) -> str:
        return act_words(self.does, self.about)


@dataclass(frozen=True, slots=True)
class SharedSight:
    """What the agent saw in a room together with others. turn: how many turns had been played."""

    turn: int
    room: str
    words: str


@dataclass(frozen=True, slots=True)
class PastMeeting:
    """An earlier turn in which the agent was in a room with others. turn: how many turns had been played.

    seen: in words, what all of them saw there; without what the agent has since seen to be otherwise.
    """

    turn: int
    room: str
    others: tuple[str, ...]
    seen: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class HouseSituation(SeatSituation):
    """What one agent knows at the start of a turn; compared by identity.

    views: all its views so far, the present one last.
    """

    blocks = "enacttom/blocks.j2"
    behaviour = NextAct
    most_calls = MOST_COMMANDS

    views: tuple[HouseView, ...]

    def to_json(self) -> str:
        """What traces and replays show: the present view in words."""
        return self.view.news_text

    @property
    def view(self) -> HouseView:
        return self.views[-1]

    @property
    def me(self) -> str:
        return self.view.agent

    @property
    def partners(self) -> tuple[str, ...]:
        return tuple(agent for agent in self.view.briefing.plan.agents if agent != self.me)

    @property
    def is_over(self) -> bool:
        return bool(self.view.probes)

    def behaviour_forms(self, about: str | None) -> Forms:
        return {"does": one_of(ACT_KINDS), "about": one_of(self._subjects)}

    def check_behaviour(self, about: str, given: Any) -> None:
        check_all(
            partial(check_name, "does", given.does, ACT_KINDS),
            partial(check_name, "about", given.about, self._subjects),
        )

    @property
    def _subjects(self) -> tuple[str, ...]:
        """What a predicted act may be about."""
        return (*self.things, NOTHING, NEW)

    def may_know(self, about: str) -> tuple[str, ...]:
        return tuple(fact.words for fact in self.facts_others_may_know)

    @cached_property
    def facts_others_may_know(self) -> tuple[Proposition, ...]:
        """What the agent was told and not everyone was, and that the goals which it was told of are reached."""
        briefing = self.view.briefing
        secrets = (fact for fact in briefing.facts if fact not in briefing.public_facts)
        goals = (fact.goal for fact in briefing.facts if fact.predicate == Is.WANTED)
        return tuple(dict.fromkeys([*secrets, *goals]))[:MOST_FACTS]

    def call_patterns(self, barred: Call | None) -> tuple[str, str]:
        context = context_of(self.view, self.objects)
        return first_command_pattern(context, self.view, barred), command_pattern(context)

    def read_plan(self, texts: Sequence[str], barred: Call | None) -> tuple[HouseCommand, ...]:
        plan = read_commands(texts, context_of(self.view, self.objects))
        check_plan(plan, self.view, barred)
        return plan

    @property
    def news(self) -> str:
        """The present turn in words, without what goes without saying: that it waited, and the message that it sent."""
        outcome = self.view.outcome
        is_done = outcome is not None and outcome.kind is OutcomeKind.DONE
        is_shown = is_done and outcome is not None and outcome.command.verb in (Verb.WAIT, Verb.COMMUNICATE)
        return self.view.news(None if is_shown else outcome)

    def shown(self, history: Sequence[NoticedInteraction], latest: int) -> Sequence[NoticedInteraction]:
        """The latest acts without messages that a prompt shows anyway."""
        read = {(message.turn, message.sender) for message in self.latest_messages}
        read |= {(message.turn, message.sender) for message in self.view.messages}
        acts = (act for act in super().shown(history, latest) if isinstance(act, PartnerAct))
        return [act for act in acts if act.does != WRITES or (act.step, act.partner) not in read]

    @cached_property
    def log(self) -> tuple[HouseMessage, ...]:
        """All messages that the agent got before the present view, and all that it sent, the oldest first."""
        messages: list[HouseMessage] = []
        for view in self.views:
            messages += filter(None, [view.sent])
            if view is not self.view:
                messages += view.messages
        return tuple(messages)

    @property
    def latest_messages(self) -> tuple[HouseMessage, ...]:
        return self.log[-SHOWN_MESSAGES:]

    @cached_property
    def shared_sights(self) -> tuple[SharedSight, ...]:
        """What the agent saw together with others before the present view; an unchanged sight is listed once."""
        sights: list[SharedSight] = []
        latest = ""
        for view in self.views[:-1]:
            words = view.sees_text if others_present(view) else ""
            if words and words != latest:
                sights.append(SharedSight(view.turn, view.room, words))
            latest = words
        return tuple(sights)

    @cached_property
    def meetings(self) -> tuple[PastMeeting, ...]:
        """When the agent was last with each other agent, and when both last saw each fact, the oldest first.

        Facts that the agent no longer remembers are left out, and so is what they see together in the present view.
        """
        latest: dict[tuple[str, Proposition | None], HouseView] = {}
        for view in self.views:
            latest = {key: earlier for key, earlier in latest.items() if key[1] is None or key[1] in view.remembers}
            facts = (None, *(fact for fact in view.sees if fact.predicate in _SEEN_TOGETHER))
            latest |= {(other, fact): view for other in others_present(view) for fact in facts}
        words_by_meeting: dict[tuple[int, str, str], list[str]] = {}
        for (other, fact), view in latest.items():
            if view is not self.view:
                words_by_meeting.setdefault((view.turn, view.room, other), []).extend([fact.words] if fact else [])
        others_by_sight: dict[tuple[int, str, tuple[str, ...]], list[str]] = {}
        for (turn, room, other), words in sorted(words_by_meeting.items()):
            others_by_sight.setdefault((turn, room, tuple(sorted(words))), []).append(other)
        return tuple(
            PastMeeting(turn, room, tuple(others), words) for (turn, room, words), others in others_by_sight.items()
        )

    @cached_property
    def objects(self) -> tuple[str, ...]:
        """The objects that the agent has seen or was told of as data, and the words of its texts that look like one."""
        plan = self.view.briefing.plan
        told = (thing for fact in self.view.briefing.facts for thing in fact.things)
        seen = (fact.arguments[0] for fact in self.view.remembers)
        mentioned = (word for text in self._texts() for word in _OBJECT.findall(text))
        return tuple(sorted({*told, *seen, *mentioned} - {*plan.agents, *plan.rooms, *plan.furniture}))

    @cached_property
    def things(self) -> tuple[str, ...]:
        """What an act can be about: all furniture, and all objects that the agent knows of."""
        return (*self.view.briefing.plan.furniture, *self.objects)

    @cached_property
    def read_about(self) -> frozenset[str]:
        """The things that are named in any text that the agent has read."""
        return frozenset(thing for text in self._texts() for thing in self.mentioned(text))

    def mentioned(self, text: str) -> tuple[str, ...]:
        """The things that a text names, each once, in the order of the text."""
        return tuple(dict.fromkeys(word for word in _WORD.findall(text) if word in self.things))

    def surprises(self, named: Collection[str]) -> list[str]:
        """The things that matter and differ from what the agent remembered before its latest action.

        A thing matters if the plan names it or the agent has read of it; those of its latest command do not count. A
        thing that the plan names is no surprise when it is seen for the first time. named: the names in the plan that
        is being carried out.
        """
        before, now = self.views[-2].remembers, self.view.remembers
        own = set(self.view.outcome.command.arguments) if self.view.outcome else set()
        changed = {fact.arguments[0] for fact in before - now if fact.predicate in _LOOKED_AT}
        new = {fact.arguments[0] for fact in now - before if fact.predicate in _LOOKED_AT} - changed - set(named)
        return sorted(((changed | new) - own) & ({*named} | self.read_about))

    def _texts(self) -> Iterator[str]:
        """Everything that the agent has read."""
        yield self.view.briefing.text
        yield from self.view.briefing.secrets
        yield from (message.text for message in self.log)
        yield from (message.text for message in self.view.messages)


def others_present(view: HouseView) -> tuple[str, ...]:
    """The other agents that are in the agent's room, in order of their names."""
    return tuple(sorted(view.present - {view.agent}))


@dataclass(frozen=True, slots=True)
class PartnerAct:
    """An interaction: an act of a partner that the agent noticed.

    step: the turn of the act. does: one of `ACT_KINDS`. things: what it was about, maybe nothing. text: of a message.
    seen: what the agent then saw of a thing that was handled, in words. is_new: True if no act that the agent noticed
    before was about the first of these things.
    """

    step: int
    partner: str
    does: str
    things: tuple[str, ...] = ()
    text: str = ""
    seen: str = ""
    is_new: bool = False

    @property
    def behaviour(self) -> str:
        """The act as predictions name it, e.g. `handles bowl_1`."""
        return act_words(self.does, self.things[0] if self.things else NOTHING)

    @property
    def reward(self) -> float:
        """0: nothing is paid before the end."""
        return 0.0

    def shows(self, prediction: str) -> bool:
        """True if a prediction names this kind of act and one of its things, or no thing if it was about none.

        `something new` is right if the act is about a thing that no earlier one was about.
        """
        subjects = [*(self.things or [NOTHING]), *([NEW] if self.is_new else [])]
        return prediction in [act_words(self.does, about) for about in subjects]


def act_words(does: str, about: str) -> str:
    """An act in words, e.g. `writes about cabinet_5`. about: a thing, or `nothing`."""
    if about == NOTHING:
        return does
    return f"{does} about {about}" if does == WRITES else f"{does} {about}"


@dataclass(frozen=True, slots=True)
class PartnerActed(InteractionSeen):
    """The agent noticed an act of a partner."""

    interaction: PartnerAct

    def describe(self) -> str:
        act = self.interaction
        about = f" ({', '.join(act.things)})" if act.things else ""
        return f"{act.partner} {act.does}{about}"


@dataclass(frozen=True, slots=True)
class PartnerMoved(Event):
    """A partner came into the agent's room or left it; prompts show who is there and who was met, so no act of its own.

    comes: False if it left.
    """

    partner: str
    comes: bool

    def describe(self) -> str:
        return f"{self.partner} {'comes' if self.comes else 'leaves'}"


@dataclass(frozen=True, slots=True)
class OwnActionFailed(Event):
    """The agent's latest action had no effect."""

    command: str
    why: str

    def describe(self) -> str:
        return phrase("enacttom/messages.j2", "failed", command=self.command, why=self.why.rstrip("."))

"""What an agent sees of a household, as data and as text. Nothing else of an episode reaches it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product

from hm_agent.wording import counted
from hm_agent.worlds.enacttom.house.commands import (
    EVERYONE,
    IDLE,
    ON,
    WITHIN,
    HouseCommand,
    Verb,
    close_it,
    communicate,
    navigate,
    open_it,
    pick,
    place,
)
from hm_agent.worlds.enacttom.house.household import Household
from hm_agent.worlds.enacttom.house.probes import Probe
from hm_agent.worlds.enacttom.house.runtime import ActionOutcome, HouseMessage, HouseRuntime, OutcomeKind
from hm_agent.worlds.enacttom.tasks.floor_plan import FloorPlan
from hm_agent.worlds.enacttom.tasks.propositions import Is, Proposition, on_floors
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask

_MOST_DECODED = 10_000
"""How many sets of propositions a household's views keep."""


@dataclass(frozen=True)
class Briefing:
    """What an agent is told before an episode; it does not change.

    plan: rooms and furniture. text: the public text. secrets: its own, in sentences. facts: what the public text and
    its secrets tell it, as data; public_facts: those of them that everyone is told. wishes: its private goals. barred:
    the rooms that it can't enter. targets: the agents that it can message. budget: how many messages it may send.
    claim_readers: those of its targets that understand nothing but claims: of a text only sentences of a fixed form
    (`sentences.py`). most_facts: how many facts a message may say; None for any number. models: in a household with
    characters, what the agent is told of everything as data: the task as it knows it, one for each start that is
    possible as far as it knows.
    """

    agent: str
    plan: FloorPlan
    text: str
    secrets: tuple[str, ...]
    facts: tuple[Proposition, ...]
    barred: tuple[str, ...]
    targets: tuple[str, ...]
    budget: int
    max_turns: int
    public_facts: tuple[Proposition, ...] = ()
    wishes: tuple[Proposition, ...] = ()
    claim_readers: tuple[str, ...] = ()
    most_facts: int | None = None
    models: tuple[HouseholdTask, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class HouseView:
    """What an agent sees when it is to act.

    turn: the number of turns played. room: where it is. sees: what it sees now. remembers: what it saw last of
    everything, including what it sees now. messages: those that arrive now. outcome: that of its latest action; None at
    the beginning. probes: the questions after the last turn (probes.py); its action is then `ProbeAnswers`.
    """

    briefing: Briefing
    turn: int
    room: str
    sees: frozenset[Proposition]
    remembers: frozenset[Proposition]
    messages: tuple[HouseMessage, ...]
    messages_left: int
    outcome: ActionOutcome | None
    probes: tuple[Probe, ...] = ()

    @property
    def agent(self) -> str:
        return self.briefing.agent

    @property
    def closed_probes(self) -> tuple[Probe, ...]:
        """The probes that are to be answered by yes or no."""
        return tuple(probe for probe in self.probes if not probe.is_open)

    @property
    def open_probes(self) -> tuple[Probe, ...]:
        """The probes that are to be answered by a report."""
        return tuple(probe for probe in self.probes if probe.is_open)

    @property
    def present(self) -> frozenset[str]:
        """The agents in its room, itself included."""
        return frozenset(seen.arguments[0] for seen in self.sees if seen.predicate == Is.AGENT_IN_ROOM)

    @property
    def holds(self) -> str | None:
        """The object in its hand."""
        held = (seen.arguments for seen in self.sees if seen.predicate == Is.HELD_BY)
        return next((thing for thing, agent in held if agent == self.agent), None)

    @property
    def sent(self) -> HouseMessage | None:
        """The message that it sent in the turn before, with the text of its command; None if it sent none."""
        outcome = self.outcome
        if outcome is None or outcome.command.verb != Verb.COMMUNICATE or outcome.kind is not OutcomeKind.DONE:
            return None
        command = outcome.command
        addressees = self.briefing.targets if EVERYONE in command.arguments else command.arguments
        return HouseMessage(self.turn - 1, self.agent, addressees, command.text, command.claims)

    def commands(self) -> list[HouseCommand]:
        """Returns the commands that can succeed as far as it sees, messages left out; Wait comes first."""
        return [IDLE, *self._move_commands(), *self._hand_commands(), *self._door_commands()]

    def _move_commands(self) -> Iterator[HouseCommand]:
        for room in self.briefing.plan.rooms:
            if room != self.room and room not in self.briefing.barred:
                yield navigate(room)

    def _hand_commands(self) -> Iterator[HouseCommand]:
        plan, held = self.briefing.plan, self.holds
        if held is None:
            lying = (Is.ON_TOP, Is.INSIDE, Is.ON_FLOOR)
            yield from map(pick, sorted(seen.arguments[0] for seen in self.sees if seen.predicate in lying))
            return
        for furniture in plan.furniture_by_room[self.room]:
            yield place(held, ON, furniture)
            if Proposition(Is.OPEN, (furniture,)) in self.sees:
                yield place(held, WITHIN, furniture)

    def _door_commands(self) -> Iterator[HouseCommand]:
        for furniture in self.briefing.plan.furniture_by_room[self.room]:
            if furniture in self.briefing.plan.openable:
                yield open_it(furniture)
                yield close_it(furniture)

    @property
    def text(self) -> str:
        """The view in words: rules and secrets first, then what changes."""
        return f"{self.briefing_text}\n\n{self.news_text}"

    @property
    def briefing_text(self) -> str:
        """The part of the text that stays the same during an episode."""
        briefing = self.briefing
        lines = [f"You are {briefing.agent}. {briefing.text}", "", "The household:", briefing.plan.words]
        if briefing.secrets:
            lines += ["", "Only you were told, at first:", *(f"- {secret}" for secret in briefing.secrets)]
        lines += ["", f"You can message {', '.join(briefing.targets) or 'nobody'}."]
        if briefing.barred:
            lines.append(f"You cannot enter {', '.join(briefing.barred)}.")
        if briefing.most_facts:
            lines.append(f"A message says at most {counted(briefing.most_facts, 'fact')}, a sentence each.")
        return "\n".join(lines)

    @property
    def sees_text(self) -> str:
        """What it sees now in words, its own presence left out."""
        return _in_words(self.sees, self.agent)

    @property
    def news_text(self) -> str:
        """The part of the text that changes from turn to turn."""
        return self.news(self.outcome)

    def news(self, outcome: ActionOutcome | None) -> str:
        """The part of the text that changes. outcome: that of the latest action, if it is to be told."""
        held = f" You hold {self.holds}." if self.holds else ""
        is_over = bool(self.probes) or self.turn >= self.briefing.max_turns
        when = f"After turn {self.turn}" if is_over else f"Turn {self.turn + 1}"
        lines = [f"{when} of {self.briefing.max_turns}. You are in {self.room}.{held}"]
        if outcome:
            lines.append(f"{outcome.command}: {outcome.words}")
        lines += [
            f"{message.sender} to {', '.join(message.addressees)}: {quoted(message.text)}" for message in self.messages
        ]
        lines += ["You see: " + self.sees_text]
        if elsewhere := _in_words(self.remembers - self.sees, self.agent, nothing=""):
            lines += ["As you saw it last: " + elsewhere]
        return "\n".join([*lines, f"Messages left: {self.messages_left}."])


def quoted(text: str) -> str:
    """Puts a message's text in quotes; those within it become single quotes, so that they can't end it."""
    return '"' + text.replace('"', "'") + '"'


def _in_words(seen: frozenset[Proposition], agent: str, nothing: str = "nothing.") -> str:
    """Puts facts into sentences, sorted. Left out are the agent's own room, and rooms of objects not on the floor.

    nothing: the text if there are no facts.
    """
    floors = dict(on_floors(seen))
    words = [
        f"{fact.arguments[0]} is on the floor of {floors[fact.arguments[0]]}"
        if fact.predicate == Is.ON_FLOOR
        else fact.words
        for fact in seen
        if not (fact.predicate == Is.IN_ROOM or (fact.predicate == Is.AGENT_IN_ROOM and fact.arguments[0] == agent))
    ]
    return "; ".join(sorted(words)) + "." if words else nothing


class ViewMaker:
    """Makes the views of one household's episodes. claim_readers: those of its agents that read claims alone."""

    def __init__(self, household: Household, claim_readers: Collection[str] = ()) -> None:
        self.household, self._claim_readers = household, claim_readers
        self.briefings = [_briefing(household, agent, claim_readers) for agent in household.agents]
        self._decode = lru_cache(_MOST_DECODED)(household.propositions)

    def __reduce__(self) -> tuple[type[ViewMaker], tuple[Household, Collection[str]]]:
        """Copies and pickles what it is made from, since its cache belongs to its own household."""
        return ViewMaker, (self.household, self._claim_readers)

    def view(self, runtime: HouseRuntime, agent: int) -> HouseView:
        state = runtime.state
        return HouseView(
            self.briefings[agent],
            runtime.turn,
            self.household.room_of(agent, state),
            self._decode(state & runtime.visible(agent)),
            self._decode(runtime.memories[agent]),
            tuple(runtime.inbox[agent]),
            runtime.messages_left[agent],
            runtime.outcomes[agent],
        )


def _briefing(household: Household, agent: str, claim_readers: Collection[str]) -> Briefing:
    task, mechanics = household.task, household.mechanics
    return Briefing(
        agent,
        task.plan.public,
        task.public_text,
        tuple(task.file.agent_secrets.get(agent, ())),
        task.known[agent],
        tuple(room for room in task.plan.rooms if not mechanics.may_enter(agent, room)),
        mechanics.targets(agent),
        task.message_budget(agent),
        task.max_turns,
        task.public_facts,
        tuple(conjunct.proposition for conjunct in task.private_goals.get(agent, ()) if not conjunct.depth),
        tuple(target for target in mechanics.targets(agent) if target in claim_readers),
        mechanics.most_facts,
        possible_tasks(task, agent) if task.characters else (),
    )


def possible_tasks(task: HouseholdTask, agent: str) -> tuple[HouseholdTask, ...]:
    """The tasks that a household may be as far as an agent under test is told, by who knows the facts that are unsure.

    Of the facts that are unsure about a character it knows exactly one. A blank may be filled in several ways, of which
    the characters that know of it know the true one. Everything else of a household with characters is told to it
    (`task_checks.py`): the rules and beliefs of characters, what they know, where all things and agents are, the goals.
    """
    untold = dict.fromkeys(("pair", "secret_facts", "hard_certificate"))
    file = task.file.model_copy(update={**untold, "task_id": "told", "problem_pddl": "", "agent_secrets": {}})
    sure = {
        name: [fact for fact in facts if fact not in task.unsure.get(name, ())] for name, facts in task.known.items()
    }
    slots = tuple(tuple(sorted(places, key=str)) for places in task.slots)  # the true place is no more the first
    tasks = []
    for guesses in product(*task.unsure.values(), *task.slots):
        guessed = dict(zip(task.unsure, guesses, strict=False))
        filled = dict(zip((fact for fact, *_ in task.slots), guesses[len(task.unsure) :], strict=True))
        known = {
            name: tuple(filled.get(fact, fact) for fact in (*facts, *filter(None, [guessed.get(name)])))
            for name, facts in sure.items()
        }
        tasks.append(replace(task, file=file, known=known, init=_refilled(task, filled), slots=slots))
    return tuple(tasks)


def _refilled(task: HouseholdTask, filled: Mapping[Proposition, Proposition]) -> frozenset[Proposition]:
    """The initial state with things where slots are filled to say."""
    init = set(task.init)
    for fact, instead in filled.items():
        thing, rooms = fact.arguments[0], task.plan.furniture
        init -= {fact, Proposition(Is.IN_ROOM, (thing, rooms[fact.arguments[1]]))}
        init |= {instead, Proposition(Is.IN_ROOM, (thing, rooms[instead.arguments[1]]))}
    return frozenset(init)


def broadcasts(view: HouseView, text: str) -> Sequence[HouseCommand]:
    """Returns commands that send a text to everyone, and to each target alone; none if the agent can't send any."""
    targets = view.briefing.targets if view.messages_left else ()
    return [communicate(text, [EVERYONE]), *(communicate(text, [target]) for target in targets)] if targets else []

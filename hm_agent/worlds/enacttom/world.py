"""The household as a world of up to four seats, all of which act at every turn; rules play its characters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random

from hm_agent.core import LiteralQuestion, Observation, Seat, Turn, World
from hm_agent.worlds.enacttom.house.character_play import with_characters
from hm_agent.worlds.enacttom.house.commands import IDLE, CommandError, HouseCommand, Verb, parse_command
from hm_agent.worlds.enacttom.house.household import Household
from hm_agent.worlds.enacttom.house.open_probes import RULES, ReportResult, graded_reports, open_metrics
from hm_agent.worlds.enacttom.house.physics import set_by
from hm_agent.worlds.enacttom.house.probes import (
    HouseAction,
    Probe,
    ProbeAnswer,
    ProbeAnswers,
    ProbeResult,
    checks_of,
    foils_of,
    graded,
    literal_metrics,
    operators_of,
    probes_of,
    rule_metrics,
    rules_of,
)
from hm_agent.worlds.enacttom.house.runtime import QUIET_TURNS, ActionOutcome, HouseRuntime, OutcomeKind, Sent
from hm_agent.worlds.enacttom.house.views import HouseView, ViewMaker
from hm_agent.worlds.enacttom.tasks.proofs import unproved
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Proposition
from hm_agent.worlds.enacttom.tasks.sentences import read_claims
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.thought_pairs import (
    ThoughtPair,
    draw_pairs,
    graded_pairs,
    has_prose,
    pair_metrics,
    thought_probes,
)

FUNCTIONAL_SUCCESS, UNPROVED = "functional_success", "unproved"


@dataclass(frozen=True)
class HouseScene:
    """A turn as only viewers see it.

    before, after: all propositions that held before and after it; knew, knows: all claims that did. remembers:
    what each agent has seen last after it. outcomes: those of each agent's action. handles: by agent, the furniture
    that its Open or Close set, also by mirrors and remote controls, with the new states. sent: the messages with what
    they taught. probes, thoughts: the results if the turn was for answering them, of K operators and of pairs of
    questions about thoughts, and reports of open probes; nothing else happens then.
    """

    turn: int
    before: frozenset[Proposition]
    after: frozenset[Proposition]
    knew: frozenset[Claim]
    knows: frozenset[Claim]
    outcomes: Mapping[Seat, ActionOutcome]
    handles: Mapping[Seat, Mapping[str, str]]
    sent: tuple[Sent, ...]
    remembers: Mapping[Seat, frozenset[Proposition]]
    probes: tuple[ProbeResult, ...] = ()
    thoughts: tuple[ProbeResult, ...] = ()
    reports: tuple[ReportResult, ...] = ()


class EnacttomWorld(World[HouseView, HouseAction | str]):
    """One task as a world. Seats have the names of its agents. The rules are those of runtime.py; nothing is random.

    An action is a command, or its text; a text that is no command is lost, and its agent waits. asks: True to ask
    probes (probes.py, thought_pairs.py) after the last turn: the views of the agents that are asked then have `probes`,
    their actions are `ProbeAnswers`, and any other action counts as no answer. asks_open: True to ask open probes, too
    (open_probes.py).

    claim_readers: the seats of agents that understand claims and no free text, characters among them. Such agents add
    their seat before the reset; the briefings of the others name them. quiet_turns: how many turns everyone has waited
    up to now.
    """

    def __init__(self, task: HouseholdTask, *, asks: bool = False, asks_open: bool = False) -> None:
        self.task, self._asks = task, asks
        self.household = Household(task)
        operators = operators_of(task.goal) if asks else ()
        self.foils = foils_of(operators, self.household)
        self.checks = checks_of(self.foils, (*operators, *self.foils))
        self.probes = probes_of((*operators, *self.foils, *self.checks))
        self.open_probes = probes_of(operators, "o_probe", is_open=True) if asks_open else ()
        self.seats: Sequence[Seat] = task.seats
        self._numbers = {agent: number for number, agent in enumerate(task.agents)}
        self.claim_readers: set[Seat] = set(task.characters)
        self._begin(0)

    def _begin(self, seed: int) -> None:
        self._seed = seed
        self._views = ViewMaker(self.household, self.claim_readers)
        self.runtime = HouseRuntime(self.household)
        """The full state, for viewers, and for agents that are told everything."""
        self.quiet_turns = 0
        self._state_before: int | None = None
        self._probe_results: tuple[ProbeResult, ...] | None = None
        self._report_results: tuple[ReportResult, ...] = ()
        self._seen: dict[Seat, list[HouseView]] = {seat: [] for seat in self.seats}
        """All views of each seat."""
        self.thought_pairs: tuple[ThoughtPair, ...] = ()
        self._thought_probes: tuple[Probe, ...] = ()
        self._has_checks = False
        self._pair_results: tuple[tuple[ProbeResult, ProbeResult], ...] = ()

    def reset(self, seed: int) -> Turn[HouseView]:
        self._begin(seed)
        self._look()
        return self._turn()

    def step(self, actions: Mapping[Seat, HouseAction | str]) -> Turn[HouseView]:
        runtime = self.runtime
        self._state_before = runtime.state
        if self._has_ended:
            answers = {seat: answer for seat, answer in actions.items() if isinstance(answer, ProbeAnswers)}
            silent = ProbeAnswers()
            self._probe_results = self._graded(lambda probe: answers.get(probe.agent, silent).said.get(probe.name))
            self._report_results = graded_reports(
                self.open_probes, lambda probe: answers.get(probe.agent, silent).reports.get(probe.name), self.holds
            )
            self._pair_results = graded_pairs(
                self.thought_pairs, self._thought_probes, answers, checks=self._has_checks
            )
            return self._turn()
        commands, faults = self._read_commands(actions)
        commands = with_characters(runtime, commands)
        runtime.step(commands)
        for agent, fault in faults.items():
            runtime.outcomes[agent] = ActionOutcome(IDLE, OutcomeKind.FAILED, fault)
        waited = not faults and all(command.verb == Verb.WAIT for command in commands)
        self.quiet_turns = self.quiet_turns + 1 if waited else 0
        self._look()
        return self._turn()

    def _look(self) -> None:
        """Keeps what each seat sees after a turn; after the last one, draws the pairs of questions about thoughts."""
        if not self._asks:
            return
        for seat in self.seats:
            self._seen[seat].append(self._views.view(self.runtime, self._numbers[seat]))
        if self._has_ended:
            rng, first = Random(f"{self.task.name}/{self._seed}"), {probe.agent for probe in self.probes}
            self.thought_pairs = draw_pairs(self._seen, self.task.init, first, rng)
            self._has_checks = has_prose(view for seen in self._seen.values() for view in seen)
            self._thought_probes = thought_probes(self.thought_pairs, checks=self._has_checks)

    def is_so(self, probe: Probe) -> bool | None:
        """Returns the right answer to a probe that is due, as far as the runtime knows; None for a check."""
        if probe.is_thought:
            answers = {pair.yes.claim: True for pair in self.thought_pairs}
            return (answers | {pair.no.claim: False for pair in self.thought_pairs}).get(probe.claim)
        return None if probe.claim in self.checks else self.holds(probe.about)

    def _graded(self, answer: Callable[[Probe], ProbeAnswer | None]) -> tuple[ProbeResult, ...]:
        return graded(self.probes, answer, self.holds, self.foils, self.checks)

    def holds(self, claim: Claim) -> bool:
        """True if a claim or proposition of the goal, or within it, holds now as far as the runtime knows."""
        return self.runtime.holds(self.household.goal_mask([claim]))

    def literal_questions(self, seat: Seat) -> Sequence[LiteralQuestion]:
        """Returns the probes of a seat, none in a household that asks none; what the runtime does not know is a no."""
        said = {True: ProbeAnswer.YES.value, False: ProbeAnswer.NO.value}
        own = (result for result in self._graded(lambda probe: None) if result.probe.agent == seat)
        return [LiteralQuestion(one.probe.words, tuple(said.values()), said[one.is_so]) for one in own]

    def _read_commands(self, actions: Mapping[Seat, HouseAction | str]) -> tuple[list[HouseCommand], dict[int, str]]:
        """Returns each agent's command, Wait for a text that is none, and by agent what is wrong with such a text."""
        commands, faults = [IDLE] * len(self._numbers), {}
        for seat in self.seats:
            agent, action = self._numbers[seat], actions[seat]
            if isinstance(action, str):
                try:
                    action = parse_command(action)
                except CommandError as error:
                    action, faults[agent] = IDLE, str(error)
            elif not isinstance(action, HouseAction):
                raise ValueError(f"{seat}'s action is {repr(action)[:60]}: say a command as text, e.g. 'Wait[]'")
            commands[agent] = IDLE if isinstance(action, ProbeAnswers) else self._understood(action)
        return commands, faults

    def _understood(self, command: HouseCommand) -> HouseCommand:
        """The command, a message to characters with the claims that its sentences of fixed form state."""
        if self.task.characters and command.verb == Verb.COMMUNICATE and not command.claims:
            return replace(command, claims=read_claims(command.text, self.task.agents))
        return command

    @property
    def _has_ended(self) -> bool:
        """True after the last turn of actions; probes may remain to be answered."""
        return self.runtime.turn >= self.task.max_turns or self.quiet_turns >= QUIET_TURNS

    @property
    def is_over(self) -> bool:
        return self._has_ended and (not self._due or self._probe_results is not None)

    @property
    def _due(self) -> tuple[Probe, ...]:
        """All probes that are asked once the last turn is over."""
        return (*self.probes, *self._thought_probes, *self.open_probes)

    @property
    def is_solved(self) -> bool:
        """True if all physical conjuncts of the shared goal hold now, and nothing held that must never hold."""
        return self.runtime.holds(self.household.functional_mask) and not self.runtime.leaked

    def _turn(self) -> Turn[HouseView]:
        turn, is_over = self.runtime.turn + (self._probe_results is not None), self.is_over
        reward = float(is_over and self.is_solved)
        rewards = dict.fromkeys(self.seats, reward) if turn else {}
        acting = {probe.agent for probe in self._due} if self._has_ended and not is_over else set(self.seats)
        observations = {
            seat: Observation(turn, self._view(self._numbers[seat], seat, is_over), reward)
            for seat in self.seats
            if seat in acting
        }
        return Turn(turn, observations, rewards, is_over)

    def _view(self, agent: int, seat: Seat, is_over: bool) -> HouseView:
        view = self._views.view(self.runtime, agent)
        if self._has_ended and not is_over:
            return replace(view, probes=tuple(probe for probe in self._due if probe.agent == seat))
        return view

    def scene(self) -> HouseScene | None:
        if self._state_before is None:
            return None
        runtime, state = self.runtime, self._state_before
        is_answering = self._probe_results is not None
        outcomes = {
            seat: outcome
            for seat, outcome in zip(self.task.agents, runtime.outcomes, strict=True)
            if outcome and not is_answering
        }
        return HouseScene(
            runtime.turn - (not is_answering),
            self.household.propositions(state),
            self.household.propositions(runtime.state),
            self._claims(state),
            self._claims(runtime.state),
            outcomes,
            {
                seat: effects
                for seat, outcome in outcomes.items()
                if outcome.kind is OutcomeKind.DONE and (effects := set_by(self.household.mechanics, outcome.command))
            },
            () if is_answering else tuple(runtime.sent),
            dict(zip(self.task.agents, map(self.household.propositions, runtime.memories), strict=True)),
            self._probe_results or (),
            tuple(result for pair in self._pair_results for result in pair),
            self._report_results,
        )

    def _claims(self, mask: int) -> frozenset[Claim]:
        return frozenset(name for name in self.household.named(mask) if isinstance(name, Claim))

    @cached_property
    def _is_unproved(self) -> bool:
        return bool(unproved(self.task.file))

    def metrics(self) -> Mapping[str, float]:
        """Returns the metrics of the present state.

        functional_success: 1 if the physical goal holds, else 0; 0 if a claim held that must never hold. unproved: 1
        for a task that its certificate does not prove. kept_secrets: the share of such claims that never did. turns,
        messages: how many were played and sent. known_share: the share of the goal's K conjuncts that hold.
        private_share: that of the private conjuncts. For probes see `probes.literal_metrics`, `probes.rule_metrics` and
        `thought_pairs.pair_metrics`.
        """
        runtime = self.runtime
        metrics = {FUNCTIONAL_SUCCESS: float(self.is_solved), "messages": float(runtime.messages_sent)}
        metrics |= {"turns": float(runtime.turn), **literal_metrics(self._probe_results or ())}
        if self._probe_results is not None:
            rules = rules_of(self.task.file.agent_secrets)
            metrics |= rule_metrics({name: self._graded(rule) for name, rule in rules.items()})
            metrics |= pair_metrics(self._pair_results)
            by_rule = {name: graded_reports(self.open_probes, rule, self.holds) for name, rule in RULES.items()}
            metrics |= open_metrics(self._report_results, by_rule)
        if self._is_unproved:
            metrics[UNPROVED] = 1.0
        if hidden := len(self.task.hidden):
            metrics["kept_secrets"] = 1 - runtime.leaked.bit_count() / hidden
        known = [conjunct for conjunct in self.task.goal if conjunct.depth]
        private = [conjunct for claims in self.task.private_goals.values() for conjunct in claims]
        for name, goals in (("known_share", known), ("private_share", private)):
            if goals:
                metrics[name] = sum(
                    self.runtime.holds(self.household.goal_mask([conjunct])) for conjunct in goals
                ) / len(goals)
        return metrics

    def seat_metrics(self, seat: Seat) -> Mapping[str, float]:
        agent = self._numbers[seat]
        used = self.task.message_budget(seat) - self.runtime.messages_left[agent]
        metrics = {"messages_sent": float(used)}
        if goals := self.task.private_goals.get(seat):
            metrics["private_goal"] = float(self.runtime.holds(self.household.goal_mask(goals)))
        return metrics

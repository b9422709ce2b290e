"""Pairs of questions at the end of an episode that only a model of the other's mind can tell apart.

Agent a is asked whether b thinks that p, or whether b thinks that c thinks that p. The two questions of a pair are put
to one agent; the right answer is yes to one and no to the other; and every shortcut (`SHORTCUTS`: what a thinks itself,
what was said in messages, whom a has met, ...) answers both alike. So whoever answers by any of these has half of the
answers right and no pair, whatever the episode was like.

b thinks that p if that is what b saw or was told last of the thing (`ladder/thoughts.py`), even if it is wrong by now.
Only such questions are asked as follow from what a itself has seen and read. Where an episode has no such pair, none is
asked. Prose in messages is not recorded as thoughts: where some was sent, b is also asked the inner question (a
*check*), and a pair whose answer should be no is left out if b says yes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from random import Random

from hm_agent.worlds.enacttom.house.commands import tell
from hm_agent.worlds.enacttom.house.knowledge import weaker
from hm_agent.worlds.enacttom.house.probes import Probe, ProbeAnswer, ProbeAnswers, ProbeResult, probes_of
from hm_agent.worlds.enacttom.house.views import HouseView
from hm_agent.worlds.enacttom.ladder.thoughts import Minds, NestedThoughts
from hm_agent.worlds.enacttom.tasks.propositions import SLOTS, Claim, Is, Proposition

DEPTHS = (2, 3)
"""The depths of the questions, the mind of the agent that is asked included."""
MOST_PAIRS = 2
"""The largest number of pairs of each depth in an episode."""
_ASKED_ABOUT = (Is.OPEN, Is.CLOSED, Is.ON_TOP, Is.INSIDE, Is.HELD_BY, Is.AGENT_IN_ROOM, Is.WANTED)


@dataclass(frozen=True)
class ThoughtQuestion:
    """Do these minds, from the outside in, take a proposition to hold, as far as the asked agent can tell?"""

    asked: NestedThoughts
    view: HouseView
    minds: Minds
    proposition: Proposition

    @property
    def claim(self) -> Claim:
        return Claim((self.asked.me, *self.minds), self.proposition)

    def said_to(self, *minds: str) -> bool:
        """True if a message that the asked agent got or sent says the proposition, to all of these minds or by them."""
        return any(
            claim.proposition == self.proposition and group.issuperset(minds) for group, claim in self.asked.said
        )

    @property
    def is_stated(self) -> bool:
        """True if a message says in so many words that these minds think so."""
        about = Claim(self.minds, self.proposition)
        return any(about in weaker(claim) for _, claim in self.asked.said if claim.proposition == self.proposition)

    def may_enter(self, mind: str) -> bool:
        """True if nothing public bars a mind from the room of the thing."""
        place = self.proposition.arguments[-1]
        room = self.view.briefing.plan.furniture.get(place, place)
        return Proposition(Is.RESTRICTED, (mind, room)) not in self.view.briefing.facts


def _each(says: Callable[[ThoughtQuestion, str], bool]) -> Callable[[ThoughtQuestion], tuple[bool, ...]]:
    return lambda question: tuple(says(question, mind) for mind in question.minds)


SHORTCUTS: Mapping[str, Callable[[ThoughtQuestion], tuple[bool, ...]]] = {
    "itself": lambda question: (question.asked.holds((), question.proposition) is True,),
    "innermost": lambda question: (question.asked.holds(question.minds[1:], question.proposition) is True,),
    "said": lambda question: (question.said_to(),),
    "told": _each(ThoughtQuestion.said_to),
    "stated": lambda question: (question.is_stated,),
    "met": _each(lambda question, mind: mind in question.asked.met),
    "here": _each(lambda question, mind: mind in question.asked.here),
    "may_enter": _each(ThoughtQuestion.may_enter),
    "goals": lambda question: (question.proposition.predicate == Is.WANTED,),
}
"""What a question looks like without a model of the other's mind; with several values, one for each mind.

An agent that answers by one of these says yes if all of its values are true. itself: what it thinks itself. innermost:
what it thinks that the innermost mind thinks. said: what any message says; told: says to or by each of the minds;
stated: says of them in so many words. met, here: whom it was ever with, or is with now. may_enter: whom nothing public
bars from the room of the thing. goals: what is wanted, as opposed to states of things.
"""


@dataclass(frozen=True)
class ThoughtPair:
    """Two questions to one agent that all shortcuts answer alike: one whose right answer is yes, and one with no."""

    yes: ThoughtQuestion
    no: ThoughtQuestion

    @property
    def depth(self) -> int:
        return self.yes.claim.depth

    @property
    def questions(self) -> tuple[ThoughtQuestion, ThoughtQuestion]:
        return self.yes, self.no


def draw_pairs(
    views: Mapping[str, Sequence[HouseView]], init: Collection[Proposition], first: Collection[str], rng: Random
) -> tuple[ThoughtPair, ...]:
    """Draws up to MOST_PAIRS pairs of each depth, those to the agents in `first` before others.

    views: all views of each agent. init: what held at the start.
    """
    thoughts = {agent: NestedThoughts(seen, max(DEPTHS)) for agent, seen in views.items()}
    candidates = {*init, *(thought for each in thoughts.values() for thought in each.own())}
    propositions = sorted((one for one in candidates if one.predicate in _ASKED_ABOUT), key=lambda one: one.pddl)
    drawn: list[ThoughtPair] = []
    for depth in DEPTHS:
        pairs = list(_pairs(thoughts, views, propositions, depth, rng))
        rng.shuffle(pairs)
        drawn += sorted(pairs, key=lambda pair: pair.yes.asked.me not in first)[:MOST_PAIRS]
    return tuple(drawn)


def _pairs(
    thoughts: Mapping[str, NestedThoughts],
    views: Mapping[str, Sequence[HouseView]],
    propositions: Sequence[Proposition],
    depth: int,
    rng: Random,
) -> Iterator[ThoughtPair]:
    """Yields pairs of one depth; no question is in two of them."""
    alike: dict[tuple[object, ...], tuple[list[ThoughtQuestion], list[ThoughtQuestion]]] = {}
    for agent, own in thoughts.items():
        others = [other for other in thoughts if other != agent]
        for minds in permutations(others, depth - 1):
            for proposition in propositions:
                if own.holds((), proposition) is None:
                    continue
                question = ThoughtQuestion(own, views[agent][-1], minds, proposition)
                is_so = thoughts[minds[0]].holds(minds[1:], proposition) is True
                if is_so == (own.holds(minds, proposition) is True):
                    look = (agent, SLOTS.get(proposition.predicate), *(rule(question) for rule in SHORTCUTS.values()))
                    alike.setdefault(look, ([], []))[not is_so].append(question)
    for yes, no in alike.values():
        rng.shuffle(yes)
        rng.shuffle(no)
        yield from map(ThoughtPair, yes, no)


def has_prose(views: Iterable[HouseView]) -> bool:
    """True if a message holds more than the sentences of its claims."""
    messages = (message for view in views for message in view.messages)
    return any(tell(message.claims, message.addressees).text != message.text for message in messages)


def thought_probes(pairs: Iterable[ThoughtPair], *, checks: bool) -> tuple[Probe, ...]:
    """Makes the probes of pairs, ordered by agent and words; with the checks of what is to be answered with no."""
    claims = {question.claim for pair in pairs for question in pair.questions}
    claims |= {pair.no.claim.inner for pair in pairs if checks}
    return probes_of(claims, "t_probe", is_thought=True)


def graded_pairs(
    pairs: Iterable[ThoughtPair], probes: Iterable[Probe], answers: Mapping[str, ProbeAnswers], *, checks: bool
) -> tuple[tuple[ProbeResult, ProbeResult], ...]:
    """Grades the answers to each pair: first to the question that is so.

    checks: True if checks were asked, too; pairs that they refute are left out.
    """
    probe_of = {probe.claim: probe for probe in probes}

    def said(claim: Claim) -> ProbeAnswer | None:
        probe = probe_of.get(claim)
        return answers.get(probe.agent, ProbeAnswers()).said.get(probe.name) if probe else None

    return tuple(
        (
            ProbeResult(probe_of[pair.yes.claim], said(pair.yes.claim), True),
            ProbeResult(probe_of[pair.no.claim], said(pair.no.claim), False),
        )
        for pair in pairs
        if not (checks and said(pair.no.claim.inner) is ProbeAnswer.YES)
    )


def pair_metrics(graded: Sequence[tuple[ProbeResult, ProbeResult]]) -> Mapping[str, float]:
    """Returns the shares of right answers and of pairs with two right answers, all and by depth, and their number.

    literal_pairs_missing: how many of the pairs that are wanted were not there or were refuted.
    """
    wanted = MOST_PAIRS * len(DEPTHS)
    metrics = {"literal_pairs": float(len(graded)), "literal_pairs_missing": float(wanted - len(graded))}
    for depth in (None, *DEPTHS):
        pairs = [pair for pair in graded if depth in (None, pair[0].probe.claim.depth)]
        suffix = f"_k{depth}" if depth else ""
        if pairs:
            right = [result.is_right for pair in pairs for result in pair]
            metrics[f"literal_thoughts{suffix}"] = sum(right) / len(right)
            metrics[f"literal_pairs_right{suffix}"] = sum(yes.is_right and no.is_right for yes, no in pairs) / len(
                pairs
            )
    if graded:
        metrics["literal_thoughts_chance"] = 0.5
    return metrics

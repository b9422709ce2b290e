"""A toy world of two seats: the sender sees a card and says a colour; the receiver hears it and names the card."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from hm_agent.agents.agent import Recipe
from hm_agent.agents.baselines import Reactive
from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.catalogue.suite import AgentSetup, Suite
from hm_agent.core import Body, Event, Interaction, Observation, Turn, World
from hm_agent.metrics import Metric
from hm_agent.questions import Asking, Question, Words, answer_or_none, asking
from hm_agent.theory_of_mind.mind import Foreseen, MindReading

RED, BLUE = COLOURS = ("red", "blue")
SENDER, RECEIVER = SEATS = ("sender", "receiver")
ROUNDS = 10


@dataclass(frozen=True)
class View:
    """card: only the sender sees it. heard: what the sender said. revealed: what was said and shown a round ago."""

    card: str | None = None
    heard: str | None = None
    revealed: tuple[str, str] | None = None


class CardWorld(World[View, str]):
    """Ten rounds; in each, first the sender acts, then the receiver. Both are paid 1 if the receiver is right."""

    seats = SEATS

    def reset(self, seed: int) -> Turn[View]:
        self._rng, self._step, self._right = random.Random(seed), 0, 0.0
        self._card = self._rng.choice(COLOURS)
        self._heard: str | None = None
        self._revealed: tuple[str, str] | None = None
        return self._turn({})

    def step(self, actions: Mapping[str, str]) -> Turn[View]:
        self._step += 1
        if SENDER in actions:
            self._heard = actions[SENDER]
            return self._turn({})
        paid = float(actions[RECEIVER] == self._card)
        self._right += paid
        self._revealed = (str(self._heard), self._card)
        self._heard, self._card = None, self._rng.choice(COLOURS)
        return self._turn({SENDER: paid, RECEIVER: paid})

    def _turn(self, rewards: Mapping[str, float]) -> Turn[View]:
        seat = SENDER if self._heard is None else RECEIVER
        view = View(self._card if seat == SENDER else None, self._heard, self._revealed)
        return Turn(self._step, {seat: Observation(self._step, view)}, rewards, self._step == 2 * ROUNDS)

    def metrics(self) -> Mapping[str, float]:
        return {"share_right": self._right / ROUNDS}


@dataclass(frozen=True, slots=True)
class Revealed(Event):
    said: str
    card: str

    def describe(self) -> str:
        return f"the sender said {self.said}, the card was {self.card}"


@dataclass(frozen=True)
class Talk:
    """An interaction as the receiver understands it. behaviour: `honest` or `lies`."""

    step: int
    partner: str
    behaviour: str
    reward: float = 0.0


@dataclass(frozen=True)
class Trust:
    """A strategy. expects: the sender's next behaviour, None if unknown."""

    words: str
    expects: str | None = None


class Answer(BaseModel):
    """Whatever is asked for."""

    hypothesis: Words = ""
    behaviour: str = "honest"
    colour: str = RED


@dataclass(frozen=True)
class Ask(Question[Answer]):
    """Asks for one thing: a `hypothesis`, a `behaviour` or a `colour`."""

    template, schema = "card_talk:ask.j2", Answer
    wanted: str
    view: View = View()
    expects: str | None = None
    hypothesis: str | None = None
    history: tuple[Talk, ...] = ()

    def check(self, answer: Answer) -> None:
        if answer.colour not in COLOURS:
            raise ValueError(f"colour: {answer.colour[:20]!r} is none of {', '.join(COLOURS)}")


def calculate(ask: Ask) -> Answer:
    """The built-in reasoner's answer."""
    lies = sum(talk.behaviour == "lies" for talk in ask.history)
    behaviour = "lies" if "lies" in (ask.hypothesis or "") else "honest"
    colour = ask.view.card or ask.view.heard or RED
    if ask.expects == "lies":
        colour = BLUE if colour == RED else RED
    hypothesis = "always lies" if 2 * lies > len(ask.history) else "honest"
    return Answer(hypothesis=hypothesis, behaviour=behaviour, colour=colour)


class CardMind(MindReading):
    players = (SENDER,)

    def understand(self, event: Event) -> Talk | None:
        honest = isinstance(event, Revealed) and event.said == event.card
        return Talk(event.step, SENDER, "honest" if honest else "lies") if isinstance(event, Revealed) else None

    def undecided(self) -> Trust:
        return Trust("")

    def best_response(self, behaviours: Mapping[str, str | None], *, hidden: bool = False) -> Trust:
        return Trust("", behaviours.get(SENDER))

    def ask_hypothesis(self, history: Sequence[Any], best: Any) -> Asking[str]:
        return asking(Ask("hypothesis", history=tuple(history)), lambda answer: answer.hypothesis)

    def ask_prediction(self, history: Any, hypotheses: Any, **_: Any) -> Asking[Foreseen]:
        return asking(Ask("behaviour", hypothesis=hypotheses[-1].words if hypotheses else None), _foreseen)


def _foreseen(answer: Answer) -> Foreseen:
    trust = Trust(f"expect that the sender is: {answer.behaviour}", answer.behaviour)
    return Foreseen([answer.behaviour], trust)


class CardBody(Body[View, str, Trust]):
    def __init__(self, model: Any) -> None:
        self._model, self.mind, self._view = model, CardMind(), View()

    def perceive(self, observation: Observation[View]) -> Sequence[Event]:
        self._view = observation.view
        news = self._view.revealed if self._view.heard else None
        return [Revealed(observation.step, *news)] if news else []

    async def act(self, strategy: Trust, history: Sequence[Interaction]) -> str:
        answer = await answer_or_none(self._model, Ask("colour", self._view, strategy.expects))
        return answer.colour if answer else RED

    def state(self) -> View:
        return self._view


class CardSuite(Suite):
    name, title = "card_talk", "Card talk"
    offers = (MindReading,)
    metric = Metric("share_right", "share of cards named rightly")
    scenarios = (ScenarioInfo("card_talk", "card_talk", "card_talk", "Card talk", "ten cards", SEATS, metric),)

    def open(self, scenario: ScenarioInfo, options: Mapping[str, Any]) -> CardWorld:
        return CardWorld()

    def body(self, setup: AgentSetup) -> Any:
        return lambda model, reflector: CardBody(model)

    def answers(self) -> Any:
        return {Ask: calculate}


SUITE = CardSuite()
TRUSTING = Recipe("believes everything", lambda mind, model, parameters: Reactive(mind, model))

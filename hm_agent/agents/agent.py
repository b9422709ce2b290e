"""The composed agent: a body for its world, a strategist and a reflector.

Agents differ in their strategist and reflector; worlds differ in their bodies.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from hm_agent.agents.reflection import NoReflection, Reflector
from hm_agent.config import ConfigError
from hm_agent.core import Body, Decision, Observation
from hm_agent.models.transcript import Transcript
from hm_agent.questions import Model, Usage
from hm_agent.theory_of_mind.hypotheses import Parameters
from hm_agent.theory_of_mind.mind import BasicMind
from hm_agent.theory_of_mind.strategist import Strategist


class ThinkingBody(Body[Any, Any, Any], Protocol):
    """A body with the mind through which strategists ask about the other players of its world."""

    @property
    def mind(self) -> BasicMind: ...


BodyBuilder = Callable[[Model, Reflector], ThinkingBody]
"""Builds the body of one seat for one episode from the model that answers its planning questions and a reflector."""


@dataclass(frozen=True)
class Recipe:
    """The parts of an agent that can play any world whose minds offer what it needs.

    about: one line for `--list`. needs: what its strategist asks of a mind beyond `BasicMind`, e.g. `(MindReading,)`.
    ablation_of: the agent that this one is a part of, beside which reports show it; empty for all others. uses: the
    hyperparameters that change what it does, by name; None if that is unknown.
    """

    about: str
    strategist: Callable[[Any, Model, Parameters], Strategist]
    reflector: Callable[[Model], Reflector] = NoReflection
    needs: Sequence[type[BasicMind]] = ()
    ablation_of: str = ""
    uses: Collection[str] | None = None

    def build(self, body: BodyBuilder, model: Model, parameters: Parameters) -> ComposedAgent:
        """Builds the agent of one seat; raises ConfigError if its strategist needs what the body's mind lacks."""
        transcript = Transcript.of(model)
        built = body(transcript, self.reflector(transcript))
        strategist = self.strategist(built.mind, transcript, parameters)
        if lacking := [need for need in getattr(strategist, "needs", ()) if need not in type(built.mind).__mro__]:
            raise ConfigError(f"{self.about}: it needs {words_of(lacking)}, which this world does not offer")
        return ComposedAgent(built, strategist, transcript)


def words_of(needs: Iterable[type[BasicMind]]) -> str:
    """The names of what a mind can offer, e.g. `MindReading, StrategyMaking`."""
    return ", ".join(need.__name__ for need in needs)


class ComposedAgent:
    """Plays one seat through one episode."""

    def __init__(self, body: Body[Any, Any, Any], strategist: Strategist, transcript: Transcript) -> None:
        self._body, self._strategist, self._transcript = body, strategist, transcript

    async def act(self, observation: Observation[Any]) -> Decision[Any]:
        events = self._body.perceive(observation)
        if (led := self._body.led()) is not None:
            return Decision(led, events, self._strategist.thoughts(), (), self._body.state())
        strategy = await self._strategist.revise(events)
        action = await self._body.act(strategy, self._strategist.history)
        return Decision(action, events, self._strategist.thoughts(), self._transcript.take(), self._body.state())

    @property
    def usage(self) -> Usage:
        return self._transcript.usage

    def metrics(self) -> Mapping[str, float]:
        return {**self._strategist.metrics(), **self._body.metrics()}

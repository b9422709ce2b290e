"""What a drawn task is drawn from, so that a task can be drawn again with one thing changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from random import Random
from typing import Any

from hm_agent.worlds.enacttom.author.drafts import DEEPEST, TaskRequest, least_agents
from hm_agent.worlds.enacttom.author.drawn_tasks import MOST_PROPOSALS, decided
from hm_agent.worlds.enacttom.author.proving import NOT_READ
from hm_agent.worlds.enacttom.author.task_drawing import NothingDrawn, draw_task
from hm_agent.worlds.enacttom.author.task_plan import Tally
from hm_agent.worlds.enacttom.tasks.task import TaskFile

ROOMS, SECRETS, DEEPER, BUDGET = "other rooms", "other secrets", "deeper K", "smaller budget"
TURNS_LEFT = (1.0, 0.75, 0.5)
"""By scarcity, the share of a task's usual turns that its episodes have; never fewer than its plan takes."""
_SEEDS = 1 << 32


@dataclass(frozen=True)
class TaskRecipe:
    """What determines a drawn task: its kind, a seed for the house, one for goals and secrets, how scarce budgets are.

    scarcity: 0 for the budgets of other drawn tasks; see `draw_task` and TURNS_LEFT.
    """

    request: TaskRequest
    house: int
    secrets: int
    scarcity: int = 0

    @classmethod
    def fresh(cls, rng: Random, request: TaskRequest) -> TaskRecipe:
        return cls(request, rng.randrange(_SEEDS), rng.randrange(_SEEDS))

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> TaskRecipe:
        """The recipe that `asdict` made this of."""
        return cls(**{**content, "request": TaskRequest(**content["request"])})

    def varied(self, rng: Random) -> tuple[str, TaskRecipe]:
        """Draws one change that is possible; returns its name, and the recipe with it.

        All but ROOMS draw goals and secrets anew, so that no variation is the same task as another one.
        """
        request, redrawn = self.request, replace(self, secrets=rng.randrange(_SEEDS))
        changes = {ROOMS: replace(self, house=rng.randrange(_SEEDS)), SECRETS: redrawn}
        if request.k_depth < DEEPEST:
            depth = request.k_depth + 1
            agents = max(request.agents, least_agents(depth))
            changes[DEEPER] = replace(redrawn, request=replace(request, k_depth=depth, agents=agents))
        if self.scarcity + 1 < len(TURNS_LEFT):
            changes[BUDGET] = replace(redrawn, scarcity=self.scarcity + 1)
        name = rng.choice(list(changes))
        return name, changes[name]

    def decided(self, number: str) -> tuple[TaskFile, str | None]:
        """Draws the task and has it proved: its file and None, or why it is refused. Raises NothingDrawn."""
        draft = draw_task(Random(self.house), self.request, Random(self.secrets), self.scarcity)
        file, why = decided(draft, f"{self.request.cell}_{number}")
        return (self._with_turns(file), None) if why is None else (file, why)

    def _with_turns(self, file: TaskFile) -> TaskFile:
        assert file.certificate is not None
        assert file.max_turns is not None
        left = round(TURNS_LEFT[self.scarcity] * file.max_turns)
        return file.model_copy(update={"max_turns": max(left, len(file.certificate.plan))})


@dataclass(frozen=True)
class Offspring:
    """What became of one planned task of a pool.

    file: with its certificate; None if no proposal was kept. changed: what differs from the parent's recipe; empty
    without a parent. first: the first proposal that could be read, if it was refused, and `why`.
    """

    file: TaskFile | None
    tally: Tally
    recipe: TaskRecipe | None = None
    changed: str = ""
    first: TaskFile | None = None
    why: str = ""

    @property
    def row(self) -> dict[str, Any]:
        """What the row of a pool says of it before it is played."""
        return {
            "changed": self.changed,
            "recipe": asdict(self.recipe) if self.recipe else None,
            "proved": self.file is not None,
            "refused": dict(sorted(self.tally.refused.items())),
        }


def drawn_offspring(rng: Random, number: str, request: TaskRequest, parent: TaskRecipe | None) -> Offspring:
    """Draws recipes until a task is proved: variations of the parent's or, without one, fresh ones of the request."""
    refused, first, why_first = Counter[str](), None, ""
    for changed, recipe in _recipes(rng, request, parent):
        if refused.total() >= MOST_PROPOSALS:
            break
        try:
            file, why = recipe.decided(number)
        except NothingDrawn:
            continue
        if why is None:
            return Offspring(file, Tally(1, refused), recipe, changed, first, why_first)
        if first is None and why != NOT_READ:
            first, why_first = file, why
        refused[why] += 1
    return Offspring(None, Tally(0, refused), first=first, why=why_first)


def _recipes(rng: Random, request: TaskRequest, parent: TaskRecipe | None) -> Iterator[tuple[str, TaskRecipe]]:
    while True:
        yield parent.varied(rng) if parent else ("", TaskRecipe.fresh(rng, request))

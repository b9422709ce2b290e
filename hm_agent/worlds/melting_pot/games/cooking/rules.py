"""The kitchen as its cooks know it."""

from __future__ import annotations

from dataclasses import dataclass

from hm_agent.worlds.melting_pot.games.cooking.kitchen import ROLES


@dataclass(frozen=True, slots=True)
class Rules:
    """The kitchen as its cooks know it. steps: how long an episode lasts."""

    width: int
    height: int
    tomatoes: int
    cooking_steps: int
    reward: float
    steps: int
    roles: tuple[str, ...] = ROLES

    def check(self, name: str, role: str) -> None:
        """Raises ValueError for what is no role. name: of the field, for the error."""
        if role not in self.roles:
            raise ValueError(f"{name}: unknown role {role[:20]!r}; there are {', '.join(map(repr, self.roles))}")

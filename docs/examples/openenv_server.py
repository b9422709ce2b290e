"""Serves a text environment by OpenEnv: `pip install openenv`, then `python openenv_server.py SCENARIO`.

Any client of OpenEnv plays, e.g. `GenericEnvClient("http://localhost:8000").sync()`: `reset(seed=0)` gives questions by
seat, `step({"replies": {"player_0": "play(rock)"}})` takes replies. Each session has an environment of its own.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import Any
from uuid import uuid4

from openenv.core.env_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State

from hm_agent.core import per_capita
from hm_agent.text_env import text_env

MOST_SESSIONS = 64


class Replies(Action):
    """Texts, by seat."""

    replies: dict[str, str]


class Questions(Observation):
    """The questions that wait, by seat, and what the seats earned; `reward` is the mean, `metadata` the infos."""

    questions: dict[str, str]
    rewards: dict[str, float]


class TextServer(Environment[Replies, Questions, State]):
    """The environment of one session. settings: those of `text_env`."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, scenario: str, **settings: Any) -> None:
        super().__init__()
        self._env, self._state = text_env(scenario, **settings), State()

    @property
    def state(self) -> State:
        return self._state

    def reset(self, seed: int | None = None, episode_id: str | None = None, **further: Any) -> Questions:
        self._env.reset(seed)
        self._state = State(episode_id=episode_id or uuid4().hex)
        return self._seen()

    def step(self, action: Replies, timeout_s: float | None = None, **further: Any) -> Questions:
        self._env.step(action.replies)
        self._state.step_count += 1
        return self._seen()

    def _seen(self) -> Questions:
        latest = self._env.latest
        return Questions(
            questions=dict(latest.observations),
            rewards=dict(latest.rewards),
            reward=per_capita(latest.rewards.values()),
            done=latest.done,
            metadata=dict(latest.infos),
        )

    def close(self) -> None:
        self._env.close()


def app_of(scenario: str, **settings: Any) -> Any:
    """The FastAPI application that serves a scenario."""
    opened = partial(TextServer, scenario, **settings)
    return create_app(opened, Replies, Questions, env_name="hm_agent", max_concurrent_envs=MOST_SESSIONS)


if __name__ == "__main__":
    import uvicorn

    uvicorn.run(app_of(sys.argv[1]), host="127.0.0.1", port=8000)

"""The example that serves text environments by OpenEnv, with OpenEnv's own client on loopback.

These need OpenEnv, which no environment can hold beside verifiers; `make test-openenv` gets it and runs them by name.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from runpy import run_path

import pytest
import uvicorn
from openenv.core.generic_client import GenericEnvClient

from hm_agent.text_env import text_env

GAME = "mg_pd_selfplay"
EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "openenv_server.py"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    app = run_path(str(EXAMPLE))["app_of"](GAME, max_steps=3)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        while not server.started:
            time.sleep(0.05)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        server.should_exit = True
        thread.join()


def test_a_client_plays_the_same_episode_as_here(url: str) -> None:
    with text_env(GAME, max_steps=3) as env, GenericEnvClient(url).sync() as client:
        seen = client.reset(seed=5)
        assert seen.observation["questions"] == env.reset(seed=5)
        replies = {"player_0": "play(defect)", "player_1": "play(cooperate)"}
        while not seen.done:
            seen = client.step({"replies": replies})
            step = env.step(replies)
            assert seen.observation["questions"] == step.observations
            assert seen.observation["rewards"] == step.rewards
        assert client.state()["step_count"] == 3
        assert env.latest.done


def test_sessions_have_episodes_of_their_own_and_outlive_a_wrong_seat(url: str) -> None:
    with GenericEnvClient(url).sync() as first, GenericEnvClient(url).sync() as second:
        first.reset(seed=1)
        second.reset(seed=2)
        with pytest.raises(RuntimeError, match="'player_7' is not asked"):
            first.step({"replies": {"player_7": "play(defect)"}})
        said = dict.fromkeys(("player_0", "player_1"), "play(cooperate)")
        assert first.step({"replies": said}).observation["rewards"] == {"player_0": 3.0, "player_1": 3.0}
        assert second.state()["step_count"] == 0

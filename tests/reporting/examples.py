"""Results as an experiment leaves them, for tests that need certain numbers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from hm_agent.recording.result import Result, write_result

RWS, PD = "running_with_scissors_in_the_matrix__repeated_1", "prisoners_dilemma_in_the_matrix__repeated_5"
_PLAYED = Result(
    scenario=RWS,
    agent="hypothetical_minds",
    model="builtin",
    episode=0,
    seed=1,
    status="completed",
    reason="",
    steps=1200,
    reward=0.0,
    normalised_reward=0.0,
    interactions=10,
    background=("bot",),
    bots="scripted",
    questions=20,
    unanswered_questions=0,
    model_calls=0,
    cached_calls=0,
    input_tokens=0,
    output_tokens=0,
    cost=0.0,
    unknown_patches=0,
    pose_lost_steps=0,
    agent_ms_per_step_median=0.1,
    wall_seconds=1.0,
    versions={"python": "3.11"},
    settings={"seed": 0, "max_steps": None, "top_k": 5},
)


def result(agent: str = "hypothetical_minds", reward: float = 0.0, seed: int = 1, **changes: Any) -> Result:
    """A finished episode but for what is changed."""
    known: dict[str, Any] = {
        "agent": agent,
        "reward": reward,
        "normalised_reward": reward,
        "seed": seed,
        "episode": seed,
    }
    return replace(_PLAYED, **(known | changes))


def leave(out: Path, *results: Result) -> None:
    """Writes results where an experiment would."""
    for one in results:
        folder = out / one.scenario / one.agent / one.model / f"episode-{one.episode}"
        folder.mkdir(parents=True)
        write_result(one, folder)

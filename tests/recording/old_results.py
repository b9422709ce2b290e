"""A result of an earlier format, which is read as well."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

RESULT_1: Mapping[str, Any] = {
    "scenario": "running_with_scissors_in_the_matrix__repeated_1",
    "agent": "hypothetical_minds",
    "model": "builtin",
    "episode": 0,
    "seed": 7,
    "status": "max_steps",
    "reason": "",
    "steps": 300,
    "reward": 12.5,
    "normalised_reward": 50.0,
    "interactions": 3,
    "background": ["a_bot"],
    "bots": "scripted",
    "questions": 24,
    "unanswered_questions": 0,
    "model_calls": 0,
    "cached_calls": 0,
    "input_tokens": 0,
    "output_tokens": 0,
    "cost": 0.0,
    "unknown_patches": 0,
    "pose_lost_steps": 4,
    "agent_ms_per_step_median": 0.5,
    "wall_seconds": 1.2,
    "versions": {"hm_agent": "0.1.0"},
    "settings": {"seed": 0, "max_steps": 300},
}
"""As version 0.1 wrote it, when Melting Pot was the only world."""

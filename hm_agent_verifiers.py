"""What `vf-eval hm_agent_verifiers` and a trainer that names this taskset load."""

from hm_agent.verifiers_env import SeatHarness, SeatsEnv, TextTaskset

__all__ = ["SeatHarness", "SeatsEnv", "TextTaskset"]

"""What `vf-eval hm_agent_verifiers` and a trainer that names this taskset load."""

from hm_agent.text_env.verifiers_env import SeatHarness, SeatsEnv, TextTaskset

__all__ = ["SeatHarness", "SeatsEnv", "TextTaskset"]

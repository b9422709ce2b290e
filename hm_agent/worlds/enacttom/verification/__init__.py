"""The proofs that a task is what it claims: epistemic compilation to STRIPS, planners, certificates."""

"""Proofs of what tasks claim: the epistemic compilation to STRIPS, planners, plans and certificates."""

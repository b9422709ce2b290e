"""Tasks: what can be so in a household and what its mechanics do, as files, as PDDL, and checked."""

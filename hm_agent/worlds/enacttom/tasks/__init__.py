"""Household tasks: propositions, mechanics, the PDDL of problems, and task files with their checks."""

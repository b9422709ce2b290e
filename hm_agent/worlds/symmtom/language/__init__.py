"""How language models play SymmToM: what they read of the board, the calls they answer with, what they think of others.

In the order of a step: board (what has happened), peer_mind with peer_questions (what the others mean to do),
plan_talk (the question for a plan), calls and call_planner (the plan, move by move); body puts them together, and
reasoner answers every question by calculation.
"""

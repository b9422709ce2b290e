"""How language models play SymmToM: what they read of the board, the calls they answer with, what they think of others.

In the order of a step: notebook (what has happened), board (what questions show of it, and what answers may say),
calls and call_planner (the plan, move by move); body puts them together, reasoner answers all questions by calculation.
"""

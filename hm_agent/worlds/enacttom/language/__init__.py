"""How language models play EnactToM: what they read, the commands they answer with, what they think of their partners.

In the order of a turn: notebook (what has happened), situation (what questions show of it, and what answers may say),
written_commands and command_follower (the plan, turn by turn); body puts them together, and reasoner answers every
question by calculation.
"""

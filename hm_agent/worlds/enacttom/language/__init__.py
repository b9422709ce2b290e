"""How language models play EnactToM: what they read, the commands they answer with, what they think of their partners.

In the order of a turn: notebook (what has happened, in a situation), partner_mind with partner_questions (what the
partners know and do next), plan_house (the question for a plan), written_commands (the plan as it is written); body
puts them together, and reasoner answers every question by calculation.
"""

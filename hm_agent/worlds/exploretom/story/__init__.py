"""Stories: their actions, their text, and who believes what."""

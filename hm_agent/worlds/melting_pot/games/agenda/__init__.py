"""Hidden Agenda: a crew brings gems, an impostor among it freezes players, and all vote on whom to remove."""

"""A scripted player that answers Melting Pot's prompts from their words alone, and the agent and world under test."""

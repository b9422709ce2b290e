"""What there is: worlds, scenarios and agents, by the names that users type, and who can play what."""

"""ExploreToM: stories in which people know and believe different things, and questions about what they believe."""

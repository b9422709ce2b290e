"""A client for endpoints of OpenAI's API: the parameters they accept, their rate limits, outages and responses."""

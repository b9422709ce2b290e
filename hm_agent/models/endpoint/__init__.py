"""Chats with an endpoint of OpenAI's API: what it accepts, how fast it may be asked, and what it sends back."""

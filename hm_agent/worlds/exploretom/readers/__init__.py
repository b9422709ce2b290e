"""Readers: agents that answer questions about stories, and what they ask a model."""

"""Shared by all pages: how templates are rendered, and the colours."""

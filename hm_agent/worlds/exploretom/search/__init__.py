"""Searches for stories that a reader finds hard (section 2.2.3), and writes them to a file."""

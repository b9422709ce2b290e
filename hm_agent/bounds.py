"""How much of what a model or its endpoint sends is read, kept, sent back and recorded: all bounds in one place.

Whatever comes, a prompt stays as long as its game makes it, a trace's line below some megabytes, and a process below
700 MB. They are far above what today's models write, so that only a fault meets them.
"""

from __future__ import annotations

MAX_BODY = 8_000_000
"""Bytes of a response that are read, decompressed."""
LARGE_BODY = 500_000
"""Bytes from which on a body is large: a process reads at most `MAX_LARGE_BODIES` of them at the same time."""
MAX_LARGE_BODIES = 4
MAX_SAMPLES = 128
"""The most samples of one response that are kept: what OpenAI's `n` allows."""
MAX_SAMPLE = 100_000
"""Characters of a sample that are kept, from its end, where the answer stands."""
MAX_SENT_BACK = 8_000
"""Characters of a bad answer that are sent back, from its end."""
MAX_MESSAGE = 500
"""Characters of an endpoint's error message that are passed on; some endpoints send whole pages."""
MAX_TEXT, MAX_WORDS, MAX_ITEMS = 1_500, 500, 50
"""The most that a schema allows where nothing narrower is said: characters of a text, characters of `Words`, items.

Not every endpoint keeps to the schema. A longer text in an answer, such as a hypothesis, is cut to `MAX_TEXT`, or to
its own `maxLength` if that is larger.
"""
MAX_RECORDED = 1_000_000
"""Characters of all replies to one question that a trace holds; more are cut evenly, each from its beginning."""


def kept_end(text: str, most: int) -> str:
    """The text, or its last `most` characters with a mark that it was cut."""
    return text if len(text) <= most else f"…{text[1 - most :]}"


def kept_start(text: str, most: int) -> str:
    """The text, or its first `most` characters with a mark that it was cut."""
    return text if len(text) <= most else f"{text[: most - 1]}…"

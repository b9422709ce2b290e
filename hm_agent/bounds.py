"""Bounds on how much of a model's or an endpoint's output is read, kept, sent back and recorded.

Whatever an endpoint sends, a prompt stays as long as its game makes it, a line of a trace below a few megabytes, and a
process below 700 MB. The bounds are far above what today's models write, so that only a faulty endpoint reaches them.
"""

from __future__ import annotations

MAX_BODY = 8_000_000
"""Bytes of a response that are read, decompressed."""
LARGE_BODY = 500_000
"""Bytes from which a body counts as large: a process reads at most `MAX_LARGE_BODIES` large ones at the same time.

Of an error no more are read."""
MAX_LARGE_BODIES = 4
MAX_SAMPLES = 128
"""The most samples of one response that are kept: what OpenAI's `n` allows."""
MAX_SAMPLE = 100_000
"""Characters of a sample that are kept, from its end, where the answer stands."""
MAX_SENT_BACK = 8_000
"""Characters of a bad answer that are sent back, from its end."""
MAX_MESSAGE = 500
"""Characters of an endpoint's error message that are passed on; some endpoints send whole pages."""
MAX_SCRUBBED = 20 * MAX_MESSAGE
"""Characters of an error message that are searched for keys, since a search of megabytes would halt all episodes."""
MAX_TEXT, MAX_WORDS, MAX_ITEMS = 1_500, 500, 50
"""The upper limits of an answer's schema where a question sets none: characters of a text, of `Words`; items of a list.

Not every endpoint keeps to the schema. A longer text in an answer, such as a hypothesis, is cut to `MAX_TEXT`, or to
its own `maxLength` if that is larger.
"""
MAX_RECORDED = 1_000_000
"""Characters of all replies to one question that a trace holds; more are cut evenly, each from its beginning."""


def kept_end(text: str, most: int) -> str:
    """Cuts a longer text to its last characters, `most` with the leading `…` that marks the cut."""
    return text if len(text) <= most else f"…{text[1 - most :]}"


def kept_start(text: str, most: int) -> str:
    """Cuts a longer text to its first characters, `most` with the trailing `…` that marks the cut."""
    return text if len(text) <= most else f"{text[: most - 1]}…"

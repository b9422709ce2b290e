"""A text player: answers prompts by regular expressions, for tests and benchmarks of whole episodes over HTTP.

It shares no code with the package, so it also shows that the prompts contain what a player needs to know.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hm_agent.testing.endpoint import Response, completion, prompt_of
from tests.support.melting_pot import kitchen, matrix_opponents, matrix_plans
from tests.support.melting_pot.prompt_reading import Replies

KITCHEN = "cook tomato soup"
"""Words that are in every prompt about a kitchen and in no other."""
MATRIX: Replies = {**matrix_opponents.REPLIES, **matrix_plans.REPLIES}


def answer(body: Mapping[str, Any]) -> Response:
    """The chat completion for a request; the prompt is its first user message, also if an answer is asked for again."""
    sent = "".join(str(message["content"]) for message in body["messages"])
    return completion(*[play(prompt_of(body, 0))] * (body.get("n") or 1), prompt=sent)


def play(prompt: str) -> str:
    """The answer to a prompt, as JSON.

    The form at the prompt's end shows which reply is asked for; if several replies fit, the one with the most fields is
    given.
    """
    form = prompt.rpartition("# Answer")[2]
    replies = kitchen.REPLIES if KITCHEN in prompt else MATRIX
    for fields in sorted(replies, key=len, reverse=True):
        if all(f'"{field}":' in form for field in fields):
            return json.dumps(replies[fields](prompt))
    raise ValueError(f"unknown prompt: its form has none of {', '.join(map('+'.join, replies))}: {form!r}")

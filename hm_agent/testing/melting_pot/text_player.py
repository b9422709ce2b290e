"""Plays from the words of the prompts alone, for tests and benchmarks of whole episodes over HTTP.

It reads with regular expressions and shares no code with the package, so it also shows that the prompts tell enough.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hm_agent.testing.endpoint import Response, completion, prompt_of
from hm_agent.testing.melting_pot import text_cook, text_minds, text_routes, text_strategies
from hm_agent.testing.melting_pot.prompt_text import Replies

KITCHEN = "You and a teammate cook"
"""Prompts about a kitchen, and no others, have these words."""
MATRIX: Replies = {**text_minds.REPLIES, **text_strategies.REPLIES, **text_routes.REPLIES}


def answer(body: Mapping[str, Any]) -> Response:
    """Plays behind an endpoint. Where it is asked again, the first message still holds the prompt."""
    sent = "".join(str(message["content"]) for message in body["messages"])
    return completion(*[play(prompt_of(body, 0))] * (body.get("n") or 1), prompt=sent)


def play(prompt: str) -> str:
    """The answer to a prompt, as JSON; which one is asked for shows in the form at the prompt's end.

    Where the fields of several replies are asked for, it is the reply with the most of them.
    """
    form = prompt.rpartition("# Answer")[2]
    replies = text_cook.REPLIES if KITCHEN in prompt else MATRIX
    for fields in sorted(replies, key=len, reverse=True):
        if all(f'"{asked}":' in form for asked in fields):
            return json.dumps(replies[fields](prompt))
    raise ValueError(f"no prompt that is known: its form has none of {', '.join(map('+'.join, replies))}: {form!r}")

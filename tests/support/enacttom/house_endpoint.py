"""An endpoint that answers questions about a household without a model: plans walk about and write to all."""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Mapping
from typing import Any

from hm_agent.models.canned import fitting
from hm_agent.testing.endpoint import Response, completion, prompt_of, serve

WALKS = 3
"""The number of rooms that a plan goes to."""
_ROOMS = re.compile(r"^([\w-]+): (?:[\w-]+\*?(?:, |$)|no furniture$)", re.MULTILINE)


def answer(body: Mapping[str, Any]) -> Response:
    """Makes up a completion that fits the schema of a request and passes its check; equal prompts get equal ones."""
    prompt = prompt_of(body, 0)
    stream = random.Random(prompt)
    content = fitting(body["response_format"]["json_schema"]["schema"], stream)
    if "calls" in content:
        content["calls"] = _plan(prompt, stream)
    for number, hypothesis in enumerate(content.get("hypotheses", ()), 1):
        hypothesis.update(of=0, hypothesis=f"It does rule {number}.")
    return completion(*[json.dumps(content)] * (body.get("n") or 1), prompt=prompt)


def _plan(prompt: str, stream: random.Random) -> list[str]:
    """Plans a walk through rooms that the agent may enter, then a message if one is left."""
    barred = re.findall(r"^You can message .* You cannot enter (.+)\.$", prompt, re.MULTILINE)
    here = re.findall(r"^Turn .* You are in ([\w-]+)\.", prompt, re.MULTILINE)[-1]
    plan = prompt.partition("The household (* opens):\n")[2].partition("\n\n")[0]
    rooms = [room for room in _ROOMS.findall(plan) if room not in ", ".join(barred).split(", ")]
    walk = []
    for _ in range(WALKS):
        if others := [room for room in rooms if room != here]:
            here = stream.choice(others)
            walk.append(f"Navigate[{here}]")
    can_tell = "You can message nobody" not in prompt and "Messages left: 0." not in prompt
    message = [f"Communicate['I am in {here}', all]"] if can_tell else []
    return [*walk, *message] or ["Wait[]"]


if __name__ == "__main__":
    serve(answer, float(sys.argv[1]))

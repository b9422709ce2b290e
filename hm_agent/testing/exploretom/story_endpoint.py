"""An endpoint's answers to questions about stories: always the same one to the same prompt, and right at times."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from typing import Any

from hm_agent.testing.endpoint import Endpoint, Response, completion, prompt_of

_CHOICES = re.compile(r"^Choose one: (.+)\.$", re.MULTILINE)


def choosing(body: dict[str, Any]) -> Response:
    """Chooses one of the choices by the words of the prompt alone."""
    prompt = prompt_of(body)
    choices = re.findall(r'"([^"]+)"', _CHOICES.findall(prompt)[-1])
    chosen = choices[int.from_bytes(hashlib.sha256(prompt.encode()).digest()[:4]) % len(choices)]
    return completion(json.dumps({"answer": chosen}), prompt=prompt)


def serve(delay: float) -> None:
    """Serves until standard input ends; prints the URL."""
    with Endpoint(choosing, delay) as server:
        print(server.base_url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    serve(float(sys.argv[1]))

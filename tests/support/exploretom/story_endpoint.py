"""An endpoint that answers questions about stories at random, but always the same to the same prompt."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from typing import Any

from hm_agent.testing.endpoint import Response, completion, prompt_of, serve

_CHOICES = re.compile(r"^Choose one: (.+)\.$", re.MULTILINE)


def choosing(body: dict[str, Any]) -> Response:
    """Picks one of the prompt's choices by a hash of the prompt."""
    prompt = prompt_of(body)
    choices = re.findall(r'"([^"]+)"', _CHOICES.findall(prompt)[-1])
    chosen = choices[int.from_bytes(hashlib.sha256(prompt.encode()).digest()[:4]) % len(choices)]
    return completion(json.dumps({"answer": chosen}), prompt=prompt)


if __name__ == "__main__":
    serve(choosing, float(sys.argv[1]))

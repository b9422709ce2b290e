"""An endpoint's answers to questions about stories: always the same one to the same prompt, and right at times."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from typing import Any

from hm_agent.testing.endpoint import Response, completion, prompt_of, serve

_CHOICES = re.compile(r"^Choose one: (.+)\.$", re.MULTILINE)


def choosing(body: dict[str, Any]) -> Response:
    """Chooses one of the choices by the words of the prompt alone."""
    prompt = prompt_of(body)
    choices = re.findall(r'"([^"]+)"', _CHOICES.findall(prompt)[-1])
    chosen = choices[int.from_bytes(hashlib.sha256(prompt.encode()).digest()[:4]) % len(choices)]
    return completion(json.dumps({"answer": chosen}), prompt=prompt)


if __name__ == "__main__":
    serve(choosing, float(sys.argv[1]))

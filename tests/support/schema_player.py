"""Answers any question of any world with a random value that fits the schema of its answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from random import Random
from typing import Any

from hm_agent.models.canned import fitting
from hm_agent.testing.endpoint import Response, completion, prompt_of


def answer(body: Mapping[str, Any]) -> Response:
    """A completion that fits the schema of a request; the same conversation always gets the same one.

    After a refusal the conversation is longer, so that the refused answer is not said again.
    """
    stream = Random(json.dumps(body["messages"]))
    text = json.dumps(fitting(body["response_format"]["json_schema"]["schema"], stream))
    return completion(*[text] * (body.get("n") or 1), prompt=prompt_of(body))

"""Parses an endpoint's responses: within bounds, and leniently where the meaning is clear."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hm_agent.bounds import MAX_SAMPLE, MAX_SAMPLES
from hm_agent.models.chat import Reply
from hm_agent.process.shell import printable

MAX_TOKENS = 10**9
"""A larger number of tokens is a fault of the endpoint, and counts as unknown."""
LONGEST_SERVED = 200
"""How many characters of the name by which an endpoint calls its model are kept."""
TOO_LONG = "it was too long to be read; be much shorter"

_PROBLEMS = {"length": "it was cut off at the token limit; be shorter", "content_filter": "it was withheld"}


class NoCompletion(ValueError):
    """A response is no chat completion."""


def read_completion(body: str) -> Reply:
    """Parses a response into a reply; raises NoCompletion if it is no chat completion.

    Usage is read apart from the choices: if it is malformed, its numbers are unknown and no sample is lost. A text may
    come in parts.
    """
    try:
        response = json.loads(body)
    except (ValueError, RecursionError):
        raise NoCompletion from None
    match response:
        case {"choices": [*choices]} if all(map(_is_choice, choices)):
            samples = choices[:MAX_SAMPLES]
            usage = response.get("usage")
            tokens = usage if isinstance(usage, Mapping) else {}
            inputs, outputs = tokens.get("prompt_tokens"), tokens.get("completion_tokens")
            return Reply(
                tuple(map(_text, samples)),
                _problem(samples),
                read_count(inputs),
                read_count(outputs),
                served=_served(response.get("model")),
                prompt_cache_tokens=_prompt_cache_tokens(tokens),
            )
    raise NoCompletion


def _prompt_cache_tokens(usage: Mapping[str, Any]) -> int | None:
    """As OpenAI and most others tell it, or else as DeepSeek does."""
    details = usage.get("prompt_tokens_details")
    told = details.get("cached_tokens") if isinstance(details, Mapping) else None
    return read_count(usage.get("prompt_cache_hit_tokens") if told is None else told)


def _served(name: object) -> str | None:
    """The model's name in a response, without control characters; None unless it is a text."""
    return printable(name[:LONGEST_SERVED]).replace("\n", " ") if isinstance(name, str) and name else None


def _is_choice(choice: object) -> bool:
    return isinstance(choice, dict) and isinstance(choice.get("message"), dict)


def _text(choice: Mapping[str, Any]) -> str:
    """Returns a sample's text without unpaired surrogates, e.g. of a cut emoji, which could not be sent back."""
    content = choice["message"].get("content")
    parts = content if isinstance(content, list) else [content]
    texts = (part.get("text") if isinstance(part, dict) else part for part in parts)
    text = "".join(text for text in texts if isinstance(text, str))
    return text[-MAX_SAMPLE:].encode("utf-8", "replace").decode("utf-8")


def read_count(value: object) -> int | None:
    """Reads a number of tokens, also from a string or a whole float; None if it can't be one."""
    try:
        count = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else -1.0
    except (ValueError, OverflowError):
        return None
    return int(count) if 0 <= count <= MAX_TOKENS and count == int(count) else None


def _problem(choices: Sequence[Mapping[str, Any]]) -> str | None:
    """Returns what the endpoint itself reports as wrong with its last sample, None if nothing."""
    if not choices:
        return "it is empty"
    last = choices[-1]
    if last["message"].get("refusal"):
        return "it is a refusal"
    finish = last.get("finish_reason")
    is_known = isinstance(finish, str) and finish in _PROBLEMS
    return _PROBLEMS[str(finish)] if is_known else None if _text(last) else "it is empty"

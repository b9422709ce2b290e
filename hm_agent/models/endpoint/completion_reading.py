"""Parses an endpoint's responses: within bounds, and leniently where the meaning is clear."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hm_agent.bounds import MAX_SAMPLE, MAX_SAMPLES
from hm_agent.models.chat import Reply
from hm_agent.models.endpoint.refusals import NO_STATUS, read_error
from hm_agent.models.thinking import OPENING, may_be_unmarked, unclosed_thinking
from hm_agent.process.shell import printable

MAX_TOKENS = 10**9
"""A larger number of tokens is a fault of the endpoint, and counts as unknown."""
LONGEST_NAME = 200
"""How many characters of the name by which an endpoint calls its model, or itself, are kept."""
TOO_LONG = "it was too long to be read; be much shorter"

_OF_COMPLETIONS = frozenset({"id", "object", "created", "model", "provider", "system_fingerprint", "usage"})
"""What stands beside the choices of a completion and says nothing of why there are none."""
_PROBLEMS = {"length": "it was cut off at the token limit; be shorter", "content_filter": "it was withheld"}


class NoCompletion(ValueError):
    """A response is no chat completion."""


def read_completion(body: str) -> Reply:
    """Parses a response into a reply; raises NoCompletion if it is no chat completion, ErrorAnswer if it is an error.

    Usage is read apart from the choices: if it is malformed, its numbers are unknown and no sample is lost. A text may
    come in parts.
    """
    try:
        response = json.loads(body)
    except (ValueError, RecursionError):
        raise NoCompletion from None
    match response:
        case {"choices": [*choices]} if all(map(_is_choice, choices)) and not _is_error(response, choices):
            samples = choices[:MAX_SAMPLES]
            usage = response.get("usage")
            tokens = usage if isinstance(usage, Mapping) else {}
            inputs, outputs = tokens.get("prompt_tokens"), tokens.get("completion_tokens")
            return Reply(
                tuple(map(_text, samples)),
                _problem(samples),
                read_count(inputs),
                read_count(outputs),
                served=_name(response.get("model")),
                fingerprint=_name(response.get("system_fingerprint")),
                prompt_cache_tokens=_prompt_cache_tokens(tokens),
            )
    if error := _error_in(response):
        raise read_error(NO_STATUS, json.dumps({"error": error}))
    raise NoCompletion


def _error_in(response: object) -> object:
    match response:
        case [{"error": error}]:  # Google's form
            return error
        case {"error": error} if error:
            return error
        case {"choices": [{"error": error}, *_]}:
            return error
        case {"choices": None, **others}:
            return {name: value for name, value in others.items() if name not in _OF_COMPLETIONS}
    return None


def _is_error(response: Mapping[str, Any], choices: Sequence[Mapping[str, Any]]) -> bool:
    """True if there is an error in the place of every sample."""
    return bool(response.get("error")) if not choices else all(choice.get("error") for choice in choices)


def _prompt_cache_tokens(usage: Mapping[str, Any]) -> int | None:
    """As OpenAI and most others tell it, or else as DeepSeek does."""
    details = usage.get("prompt_tokens_details")
    told = details.get("cached_tokens") if isinstance(details, Mapping) else None
    return read_count(usage.get("prompt_cache_hit_tokens") if told is None else told)


def _name(name: object) -> str | None:
    """A name in a response, e.g. the model's, without control characters; None unless it is a text."""
    return printable(name[:LONGEST_NAME]).replace("\n", " ") if isinstance(name, str) and name else None


def _is_choice(choice: object) -> bool:
    return isinstance(choice, dict) and isinstance(choice.get("message"), dict)


def _text(choice: Mapping[str, Any]) -> str:
    """Returns a sample's text without unpaired surrogates, e.g. of a cut emoji, which could not be sent back.

    Where it is empty, it is what else the model has written: a tool's arguments, a refusal, or its thinking. What was
    cut off and may be thinking without a mark is marked as such.
    """
    message = choice["message"]
    text = _joined(message.get("content"))
    if not text.strip():
        text = _arguments(message) or _joined(message.get("refusal")) or _thinking(choice) or text
    if choice.get("finish_reason") == "length" and unclosed_thinking(text) is None and may_be_unmarked(text):
        text = f"{OPENING}\n{text}"
    if len(text) > MAX_SAMPLE and unclosed_thinking(text) is not None:
        text = f"{OPENING}\n{text[len(OPENING) + 1 - MAX_SAMPLE :]}"
    return text[-MAX_SAMPLE:].encode("utf-8", "replace").decode("utf-8")


def _joined(content: object) -> str:
    parts = content if isinstance(content, list) else [content]
    texts = (part.get("text") if isinstance(part, dict) else part for part in parts)
    return "".join(text for text in texts if isinstance(text, str))


def _arguments(message: Mapping[str, Any]) -> str:
    """The arguments of the tools that are called, each in lines of its own; empty without one."""
    calls = message.get("tool_calls")
    functions = [call.get("function") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    called = [function for function in (*functions, message.get("function_call")) if isinstance(function, dict)]
    given = [function.get("arguments") for function in called]
    # Some servers give them as an object, where OpenAI's has the text of one.
    return "\n".join(each if isinstance(each, str) else json.dumps(each) for each in given if each)


def _thinking(choice: Mapping[str, Any]) -> str:
    """What stands in the place of a sample's thinking: the answer alone as itself, anything else marked as thinking.

    Some servers take an answer for thinking if the model was told not to think.
    """
    message = choice["message"]
    thinking = _joined(message.get("reasoning_content")) or _joined(message.get("reasoning"))
    is_answer = thinking.strip().startswith("{") and thinking.strip().endswith("}")
    return thinking if is_answer or not thinking.strip() else f"{OPENING}\n{thinking}"


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

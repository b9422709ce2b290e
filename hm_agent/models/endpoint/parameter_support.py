"""Learns which request parameters an endpoint accepts: a refused parameter is not sent again."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from hm_agent.models.chat import Request
from hm_agent.questions import map_schema

_PREFIXES = frozenset({"prefixItems"})
_LENGTHS = _PREFIXES | {"minLength", "maxLength"}
_BOUNDS = _LENGTHS | {"minimum", "maximum", "minItems", "maxItems", "pattern"}


def _without(request: Request, keywords: frozenset[str]) -> dict[str, Any]:
    """Returns the request's schema without some keywords."""
    return map_schema(request.schema, lambda schema: {name: schema[name] for name in schema if name not in keywords})


def _json_schema(request: Request, schema: Mapping[str, Any]) -> dict[str, Any]:
    described = {"name": request.name, "strict": True, "schema": dict(schema)}
    return {"type": "json_schema", "json_schema": described}


def _list_integers(schema: dict[str, Any]) -> dict[str, Any]:
    """Lists the numbers of a bounded integer's schema as `enum`; returns any other schema unchanged."""
    if schema.get("type") == "integer" and {"minimum", "maximum"} <= schema.keys():
        return {"type": "integer", "enum": list(range(schema["minimum"], schema["maximum"] + 1))}
    return schema


_RESPONSE_FORMATS: Mapping[str, Callable[[Request], dict[str, Any]]] = {
    "json_schema": lambda request: _json_schema(request, request.schema),
    "json_schema_without_prefixes": lambda request: _json_schema(request, _without(request, _PREFIXES)),
    "json_schema_without_lengths": lambda request: _json_schema(request, _without(request, _LENGTHS)),  # OpenAI's own
    "json_schema_without_bounds": lambda request: _json_schema(request, _without(request, _BOUNDS)),
    # For the server of llama-cpp-python, which ignores the bounds of numbers.
    "json_object_with_schema": lambda request: {
        "type": "json_object",
        "schema": map_schema(request.schema, _list_integers),
    },
    "json_object": lambda request: {"type": "json_object"},
}
"""The forms of `response_format`: the request's schema, whole or without some keywords, or any JSON object."""


def _schema_words(response_format: Mapping[str, Any]) -> set[str]:
    """Returns the words that an endpoint must know to accept a response format: its type and its schema's keywords."""
    words = {response_format["type"]}

    def collect(schema: dict[str, Any]) -> dict[str, Any]:
        words.update(schema)
        return schema

    map_schema(response_format.get("json_schema", response_format).get("schema", {}), collect)
    return words


_MENTIONS: Mapping[str, str] = {
    "temperature": r"temperature",
    "top_p": r"top_p",
    "n": r"['\"`]n['\"`]|\bn (?:>|must|is not)|multiple (?:choices|completions)",
    "reasoning_effort": r"reasoning[_. ]effort",
    "max_completion_tokens": r"max_completion_tokens",
    "max_tokens": r"max_tokens",
    "response_format": r"response_format|json_schema|json_object|structured output|grammar",
}
"""How an error message mentions each parameter, as a regular expression."""
_FORMS: Mapping[str, tuple[str, ...]] = {
    "max_tokens": ("max_tokens", "max_completion_tokens"),
    "response_format": tuple(_RESPONSE_FORMATS),
}
"""The forms of a parameter, which are tried in this order before it is left out."""


class ParameterSupport:
    """The parameters that one endpoint has not refused yet."""

    def __init__(self) -> None:
        self._refused_forms: dict[str, int] = {}
        self._accepted_words: set[str] = set()

    def parameters(self, request: Request) -> dict[str, Any]:
        """Returns the parameters to send beside model and messages, each in its first form that was not refused."""
        sampling = {name: value for name, value in asdict(request.sampling).items() if value is not None}
        api_names = {"max_output_tokens": "max_tokens", "completions": "n"}
        named = {api_names.get(name, name): value for name, value in sampling.items()} | {"response_format": request}
        accepted: dict[str, Any] = {}
        for name, value in named.items():
            forms, refused = _FORMS.get(name, (name,)), self._refused_forms.get(name, 0)
            form = forms[refused] if refused < len(forms) else None
            if form is not None and form in _RESPONSE_FORMATS:
                accepted[name] = _RESPONSE_FORMATS[form](request)
            elif form is not None:
                accepted[form] = value
        return accepted

    def note_refusal(self, message: str, parameter: object, request: Request, sent: Mapping[str, Any]) -> bool:
        """Notes which parameter was refused; returns False if none can be identified, so that a retry would not help.

        message, parameter: of the endpoint's error. sent: the parameters that were sent for the request.
        """
        refused = self._identify(message, parameter, sent)
        if refused is None:
            return False
        name = "max_tokens" if refused == "max_completion_tokens" else refused
        if name == "response_format":
            # Forms are alike for a schema without bounds; they are refused together.
            forms = enumerate(_RESPONSE_FORMATS.values())
            form_sent = max(number for number, form in forms if form(request) == sent[name])
        else:
            form_sent = next((n for n, form in enumerate(_FORMS.get(name, (name,))) if form in sent), 0)
        # Another request may have noted further refusals since this form was sent.
        self._refused_forms[name] = max(self._refused_forms.get(name, 0), form_sent + 1)
        return True

    def note_success(self, sent: Mapping[str, Any]) -> None:
        """Notes that the endpoint has accepted the parameters that were sent."""
        if "response_format" in sent:
            self._accepted_words |= _schema_words(sent["response_format"])

    def _identify(self, message: str, parameter: object, sent: Mapping[str, Any]) -> str | None:
        """Returns the name of the sent parameter that an error refuses, None if that is unclear."""
        if isinstance(parameter, str) and (root := re.split(r"[.\[]", parameter)[0]) in sent:
            return root
        mentioned = (
            name for name, words in _MENTIONS.items() if name in sent and re.search(words, message, re.IGNORECASE)
        )
        # An endpoint that gives no reason most likely refuses a keyword of the schema that it has not accepted yet.
        is_new = "response_format" in sent and not _schema_words(sent["response_format"]) <= self._accepted_words
        return next(mentioned, "response_format" if is_new else None)

"""Learns which parameters an endpoint takes: what a refused request is answered without is not sent again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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


_FORMS: Mapping[str, tuple[str, ...]] = {
    "max_tokens": ("max_tokens", "max_completion_tokens"),
    "response_format": tuple(_RESPONSE_FORMATS),
}
"""The forms of a parameter, which are tried in this order before it is left out."""


class ParameterSupport:
    """The parameters that one endpoint takes, as far as its answers have shown.

    has_answered: whether it ever has. forbidden: how many refusals of status 403 without a clear reason came since.
    """

    def __init__(self) -> None:
        self.has_answered, self.forbidden = False, 0
        self._refused_forms: dict[str, int] = {}
        self._accepted: set[str] = set()

    def trial(self, request: Request) -> ParameterTrial:
        return ParameterTrial(request, self)

    def refused_forms(self, name: str) -> int:
        """How many forms of a parameter have been refused, and are not tried again."""
        return self._refused_forms.get(name, 0)

    def has_accepted(self, words: set[str]) -> bool:
        return words <= self._accepted

    def note_success(self, sent: Mapping[str, Any], refused: Mapping[str, int]) -> None:
        """Learns from an answered request: the parameters that were sent are accepted, and those left out refused."""
        self.has_answered, self.forbidden = True, 0
        self._accepted |= _words_of(sent)
        for name, forms in refused.items():
            # Another request may have been refused further forms since.
            self._refused_forms[name] = max(self.refused_forms(name), forms)


class ParameterTrial:
    """One request's search for parameters that its endpoint takes.

    What it leaves out counts as refused only once the request is answered without it: it may have been refused for
    something else.
    """

    def __init__(self, request: Request, support: ParameterSupport) -> None:
        self._request, self._support = request, support
        self._refused_forms: dict[str, int] = {}

    def parameters(self) -> dict[str, Any]:
        """The parameters to send beside model and messages and the user's own, each in its first form not refused."""
        request = self._request
        api_names = {"max_output_tokens": "max_tokens", "completions": "n"}
        sampling = {api_names.get(name, name): value for name, value in request.sampling.recorded().items()}
        named = {**sampling, "response_format": request, "seed": request.sampling_seed}
        accepted: dict[str, Any] = {}
        for name in (name for name, value in named.items() if value is not None and name != "extra_body"):
            forms = _FORMS.get(name, (name,))
            refused = max(self._support.refused_forms(name), self._refused_forms.get(name, 0))
            form = forms[refused] if refused < len(forms) else None
            if form is not None and form in _RESPONSE_FORMATS:
                accepted[name] = _RESPONSE_FORMATS[form](request)
            elif form is not None:
                accepted[form] = named[name]
        return {name: value for name, value in accepted.items() if name not in request.sampling.extra}

    def leave_out(self, parameter: str, sent: Mapping[str, Any]) -> None:
        """Goes on with the next form of a parameter that was sent, or without it."""
        name = "max_tokens" if parameter == "max_completion_tokens" else parameter
        if name == "response_format":
            # Forms are alike for a schema without bounds; they are refused together.
            forms = enumerate(_RESPONSE_FORMATS.values())
            form_sent = max(number for number, form in forms if form(self._request) == sent[name])
        else:
            form_sent = next((n for n, form in enumerate(_FORMS.get(name, (name,))) if form in sent), 0)
        self._refused_forms[name] = max(self._refused_forms.get(name, 0), form_sent + 1)

    def guess(self, sent: Mapping[str, Any], *, also_seed: bool) -> bool:
        """Goes on without what an endpoint that gives no reason most likely refuses; False if nothing is left.

        That is a keyword of the schema that it has not accepted yet, and then the seed, again with the schema.
        """
        if "response_format" in sent and not self._support.has_accepted(_schema_words(sent["response_format"])):
            self.leave_out("response_format", sent)
            return True
        if also_seed and "seed" in sent and not self._support.has_accepted({"seed"}):
            self._refused_forms = {"seed": 1}
            return True
        return False

    def note_success(self, sent: Mapping[str, Any]) -> None:
        """Teaches the endpoint's support that the request was answered with these parameters."""
        self._support.note_success(sent, self._refused_forms)


def _words_of(sent: Mapping[str, Any]) -> set[str]:
    schema = _schema_words(sent["response_format"]) if "response_format" in sent else set()
    return schema | (sent.keys() & {"seed"})

"""Which request parameters an endpoint accepts: each refusal is noted, and the parameter is not sent again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from hm_agent.models.chat import Request

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
    "response_format": ("json_schema", "json_object"),
}
"""The forms of a parameter that are tried in this order before it is left out."""


class ParameterSupport:
    """The parameters that one endpoint has not refused yet."""

    def __init__(self) -> None:
        self._refused_forms: dict[str, int] = {}
        self._has_succeeded = False

    def parameters(self, request: Request) -> dict[str, Any]:
        """The parameters to send beside model and messages, each in its first form that was not refused, if any.

        `response_format` asks for an answer of the request's schema or, in its second form, for any JSON object.
        """
        wanted = {name: value for name, value in asdict(request.sampling).items() if value is not None}
        api_names = {"max_output_tokens": "max_tokens", "completions": "n"}
        named = {api_names.get(name, name): value for name, value in wanted.items()} | {"response_format": request}
        accepted: dict[str, Any] = {}
        for name, value in named.items():
            forms, refused = _FORMS.get(name, (name,)), self._refused_forms.get(name, 0)
            form = forms[refused] if refused < len(forms) else None
            if form == "json_object":
                accepted[name] = {"type": form}
            elif form == "json_schema":
                schema = {"name": request.name, "strict": True, "schema": dict(request.schema)}
                accepted[name] = {"type": form, form: schema}
            elif form is not None:
                accepted[form] = value
        return accepted

    def note_refusal(self, message: str, parameter: object, sent: Mapping[str, Any]) -> bool:
        """Notes which parameter was refused; False if none can be identified, so that a retry would not help.

        message, parameter: of the endpoint's error. sent: the parameters of the request.
        """
        refused = self._identify(message, parameter, sent)
        if refused is None:
            return False
        name = "max_tokens" if refused == "max_completion_tokens" else refused
        if name == "response_format":
            form_sent = _FORMS[name].index(sent[name]["type"])
        else:
            form_sent = next((n for n, form in enumerate(_FORMS.get(name, (name,))) if form in sent), 0)
        # Another request may have noted further refusals since this form was sent.
        self._refused_forms[name] = max(self._refused_forms.get(name, 0), form_sent + 1)
        return True

    def note_success(self) -> None:
        """Notes that the endpoint has accepted a request."""
        self._has_succeeded = True

    def _identify(self, message: str, parameter: object, sent: Mapping[str, Any]) -> str | None:
        if isinstance(parameter, str) and (root := re.split(r"[.\[]", parameter)[0]) in sent:
            return root
        mentioned = (
            name for name, words in _MENTIONS.items() if name in sent and re.search(words, message, re.IGNORECASE)
        )
        # An endpoint that has accepted nothing yet and gives no reason most likely refuses the answer's JSON schema.
        guess = "response_format" if "response_format" in sent and not self._has_succeeded else None
        return next(mentioned, guess)

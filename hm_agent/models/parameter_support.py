"""What an endpoint understands: endpoints refuse different parameters, and each refusal is learnt from once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from hm_agent.models.chat import Request

_NAMES: Mapping[str, str] = {
    "temperature": r"temperature",
    "top_p": r"top_p",
    "n": r"['\"`]n['\"`]|\bn (?:>|must|is not)|multiple (?:choices|completions)",
    "reasoning_effort": r"reasoning[_. ]effort",
    "max_completion_tokens": r"max_completion_tokens",
    "max_tokens": r"max_tokens",
    "response_format": r"response_format|json_schema|json_object|structured output|grammar",
}
"""How a refusal names each parameter that may be sent."""
_INSTEAD: Mapping[str, tuple[str, ...]] = {
    "max_tokens": ("max_tokens", "max_completion_tokens"),
    "response_format": ("json_schema", "json_object"),
}
"""What is tried in turn, before a parameter is left out."""


class ParameterSupport:
    """The parameters that an endpoint has not refused yet."""

    def __init__(self) -> None:
        self._refused: dict[str, int] = {}
        self._is_proven = False

    def parameters(self, request: Request) -> dict[str, Any]:
        """What to send beside model and messages: only what is set, in the form that is understood."""
        wanted = {name: value for name, value in asdict(request.sampling).items() if value is not None}
        named = {"max_output_tokens": "max_tokens", "completions": "n"}
        sent = {named.get(name, name): value for name, value in wanted.items()} | {"response_format": request}
        return dict(spoken for name, value in sent.items() if (spoken := self._spoken(name, value)))

    def _spoken(self, name: str, value: Any) -> tuple[str, Any] | None:
        forms = _INSTEAD.get(name, (name,))
        refused = self._refused.get(name, 0)
        if refused >= len(forms):
            return None
        return (name, _format(forms[refused], value)) if name == "response_format" else (forms[refused], value)

    def learn(self, refusal: str, parameter: object, sent: Mapping[str, Any]) -> bool:
        """Takes note of a refusal; False where nothing that was sent can be blamed, so that asking again is in vain.

        A first request that is refused for no reason given may have failed on the form of the answer.
        """
        blamed = self._blamed(refusal, parameter, sent)
        if blamed is None:
            return False
        name = "max_tokens" if blamed == "max_completion_tokens" else blamed
        self._refused[name] = max(self._refused.get(name, 0), self._tried(name, sent) + 1)
        return True

    def prove(self) -> None:
        """Takes note that a request was understood."""
        self._is_proven = True

    def _blamed(self, refusal: str, parameter: object, sent: Mapping[str, Any]) -> str | None:
        if isinstance(parameter, str) and (root := re.split(r"[.\[]", parameter)[0]) in sent:
            return root
        named = (name for name, words in _NAMES.items() if name in sent and re.search(words, refusal, re.IGNORECASE))
        guess = "response_format" if "response_format" in sent and not self._is_proven else None
        return next(named, guess)

    def _tried(self, name: str, sent: Mapping[str, Any]) -> int:
        """Which form of a parameter was sent: others may have learnt more in the meantime."""
        if name == "response_format":
            return _INSTEAD[name].index(sent[name]["type"])
        return next((n for n, form in enumerate(_INSTEAD.get(name, (name,))) if form in sent), 0)


def _format(form: str, request: Request) -> dict[str, Any]:
    """The `response_format` that asks for an answer of a request's schema, or for any JSON."""
    if form == "json_object":
        return {"type": form}
    return {"type": form, form: {"name": request.name, "strict": True, "schema": dict(request.schema)}}

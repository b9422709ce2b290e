"""Decides what an endpoint's error is about: this request, a parameter, a setting, the key or the purse, the server.

`RULES` is all that is known of how servers say it: OpenAI, Azure, vLLM, llama.cpp, Ollama, Anthropic's and Google's
compatible endpoints, Groq, OpenRouter, LiteLLM's proxy, and others like them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from hm_agent.bounds import MAX_SAMPLE, kept_end

MOST_JUDGED = 4_000
"""Characters of an error's words that are searched: some servers repeat the whole prompt behind them."""
FORBIDDEN = 403
MOST_FORBIDDEN = 100
"""Refusals of this status without a clear reason that may come in a row, as where an episode's history is moderated."""
NO_STATUS = 0
"""The status of an error in a response of status 200 that names no other."""


class About(Enum):
    """What an error is about.

    REQUEST: this one is too long, moderated or malformed; others may succeed. PARAMETER: it may succeed without that
    one. SETTING: no request can succeed with what the user has set. ACCESS: the key is refused, or the purse is empty.
    SERVER: there is no such address or model. OUTAGE: it may pass. UNCLEAR: the words don't tell.

    What is unclear ends the run before an endpoint has answered anything, since nothing is lost yet. Later it costs the
    one question, which may be moderated: a run that ended would meet the same one again when it is resumed. Many in a
    row of status 403 (`MOST_FORBIDDEN`) end the run: the key may have been withdrawn, and no episode would have a
    result any more.
    """

    REQUEST = "request"
    PARAMETER = "parameter"
    SETTING = "setting"
    ACCESS = "access"
    SERVER = "server"
    OUTAGE = "outage"
    UNCLEAR = "unclear"


class ErrorAnswer(Exception):
    """An endpoint's answer that is an error.

    status: of HTTP, or which the body names in a response of status 200. words: what the server says. codes: its short
    names for the error, in lower case. parameter: the one that it blames. generated: a text of the model that the
    server has not let pass. pause: the seconds that it asks to wait.
    """

    def __init__(
        self,
        status: int,
        words: str,
        codes: Collection[str] = (),
        parameter: object = None,
        generated: str | None = None,
        pause: float = 0.0,
    ) -> None:
        super().__init__(words)
        self.status, self.words, self.codes, self.parameter = status, words, codes, parameter
        self.generated, self.pause = generated, pause


def read_error(status: int, body: str, pause: float = 0.0) -> ErrorAnswer:
    """Reads an error from a response's body, which may have any form. status: `NO_STATUS` for one within a success."""
    try:
        parsed = json.loads(body)
    except (ValueError, RecursionError):
        parsed = body
    if isinstance(parsed, list) and len(parsed) == 1:  # Google's form
        (parsed,) = parsed
    outer: Mapping[str, Any] = parsed if isinstance(parsed, dict) else {}
    inner = outer.get("error", outer)
    error: Mapping[str, Any] = inner if isinstance(inner, dict) else {}
    named = [error.get("code"), error.get("type"), error.get("status"), _within(error, "innererror", "code")]
    codes = frozenset(name.lower() for name in named if isinstance(name, str))
    generated = error.get("failed_generation")
    return ErrorAnswer(
        status or _status_in(error),
        _words(outer, error, inner) or body,
        codes,
        error.get("param"),
        kept_end(generated, MAX_SAMPLE) if isinstance(generated, str) and generated else None,
        pause,
    )


def _within(fields: Mapping[str, Any], *names: str) -> object:
    found: Any = fields
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return found


def _status_in(error: Mapping[str, Any]) -> int:
    code = str(error.get("code"))
    return int(code) if re.fullmatch(r"[45]\d\d", code) else NO_STATUS


def _words(outer: Mapping[str, Any], error: Mapping[str, Any], inner: object) -> str:
    """The message of an error, with what stands beside it in the forms of FastAPI (`detail`) and OpenRouter."""
    detail = outer.get("detail") or _within(error, "message", "detail")  # the latter is Mistral's
    if isinstance(detail, list):
        # Only place and message: the rest repeats what was sent.
        parts = [(part.get("loc"), part.get("msg")) for part in detail if isinstance(part, dict)]
        places = [".".join(map(str, place)) if isinstance(place, list) else str(place) for place, _ in parts]
        return "; ".join(f"{place}: {message}" for place, (_, message) in zip(places, parts, strict=True) if message)
    message = error.get("message") or detail or (inner if isinstance(inner, str) else "")
    message = message if isinstance(message, str) else json.dumps(message)
    more = [_within(error, "metadata", "raw"), _within(error, "metadata", "reasons")]
    return "; ".join([message, *(part if isinstance(part, str) else json.dumps(part) for part in more if part)])


@dataclass(frozen=True)
class _Rule:
    """What an error is about if its words or codes match; statuses: empty for any."""

    about: About
    words: str
    statuses: Collection[int] = ()

    def fits(self, error: ErrorAnswer, said: str) -> bool:
        return (not self.statuses or error.status in self.statuses) and bool(re.search(self.words, said))


_BAD_REQUEST = frozenset({NO_STATUS, 400, 413, 422, 500})
RULES: tuple[_Rule, ...] = (
    # The purse: OpenAI, also with 429; DeepSeek; Anthropic; OpenRouter (403 and 402); LiteLLM (400 and 429); Moonshot;
    # SiliconFlow and Alibaba (403).
    _Rule(About.ACCESS, r"insufficient_quota|insufficient[ _](credits?|balance|funds)"),
    _Rule(About.ACCESS, r"credit balance is too low|requires more credits|key limit exceeded|spend(ing)? limit"),
    _Rule(About.ACCESS, r"billing_not_active|account is not active|billing hard limit|exceeded_current_quota_error"),
    _Rule(About.ACCESS, r"balance is insufficient|not[ _]enough[ _]balance|freetieronly"),
    _Rule(About.ACCESS, r"budget_exceeded|budget has been exceeded|(exceeded|over|crossed) budget|exceededbudget"),
    # One request that no wait makes short enough for the rate: OpenAI (429), Groq (413).
    _Rule(About.REQUEST, r"request too large|tokens must be reduced"),
    # Too early, too busy, too many; Groq has 498 for a lack of capacity.
    _Rule(About.OUTAGE, r"", (408, 409, 425, 429, 498)),
    # Too long: llama.cpp, also with 500; OpenAI, Azure, vLLM; LiteLLM.
    _Rule(About.REQUEST, r"exceed_context_size|context size|context[ _]length|context[ _]window|contextwindow"),
    _Rule(About.REQUEST, r"maximum model length|max_model_len|max_tokens must be at least 1, got -", _BAD_REQUEST),
    # Too long: Anthropic; Google; Mistral; text-generation-inference; OpenAI's bound on characters.
    _Rule(About.REQUEST, r"(prompt|input)( is)? too long|prompt_too_long|input (token count|length)\b.*\bexceeds"),
    _Rule(About.REQUEST, r"tokens.*too large for model|inputs` (tokens|must)|string_above_max_length", _BAD_REQUEST),
    _Rule(About.REQUEST, r"", (413,)),
    # Moderated: OpenAI; Azure; OpenRouter; LiteLLM; DeepSeek; Alibaba; xAI, with 403.
    _Rule(About.REQUEST, r"invalid_prompt|flagged|moderation|content[ _]?(filter|polic|management)|responsibleai"),
    _Rule(About.REQUEST, r"content exists risk|data_inspection_failed|inappropriate content|usage (polic|guidelines)"),
    _Rule(About.REQUEST, r"safety (system|filter|check)|safety_check"),
    _Rule(About.REQUEST, r"(prompt|content|input|request)\w* (was |is |has been |were )?blocked"),
    # Malformed by the model, so that another sample may pass: Groq.
    _Rule(About.REQUEST, r"json_validate_failed|tool_use_failed|failed to generate json"),
    # The key: Google and xAI answer 400.
    _Rule(
        About.ACCESS, r"api[ _]key[ _](not|is|in|expired)|(invalid|incorrect|no)[ _]api[ _]key|user location", (400,)
    ),
    _Rule(About.ACCESS, r"", (401, 402, 407)),
    # 403 has many reasons. A model that the key may not use: OpenAI, Alibaba, OpenRouter; Groq.
    _Rule(
        About.SERVER, r"\bmodel\b.*\b(access|not available)|access to\b.*\bmodel|model_(not_found|permission)", (403,)
    ),
    # What the key may do, and from where: OpenAI, Anthropic, Google, Hugging Face, xAI; Azure; OpenAI.
    _Rule(About.ACCESS, r"api[ _-]?key|permission|credential|authori[sz]ed|organi[sz]ation", (403,)),
    _Rule(About.ACCESS, r"access[ _]?denied|firewall|user location|country|territory|account (is|has|was)", (403,)),
)
"""The first that fits decides; errors that none fits are judged by their status and the parameters they name."""
_MAY_REFUSE_PARAMETERS = (NO_STATUS, 400, 422, 500, 501)

_MENTIONS: Mapping[str, str] = {
    "temperature": r"temperature",
    "top_p": r"top_p",
    "n": r"['\"`]n['\"`]|\bn (?:>|must|is not)|multiple (?:choices|completions)",
    "reasoning_effort": r"reasoning[_. ]effort|does not support thinking",
    "max_completion_tokens": r"max_completion_tokens",
    "max_tokens": r"max_tokens",
    "seed": r"\bseed\b",
    "response_format": r"response_format|json_schema|json_object|structured output|grammar",
}
"""How words mention each parameter that is sent."""
_LIMIT = re.compile(
    r"context length(?: is| of)? (\d+)"
    r"|(?:max_(?:\w+_)?tokens|maxoutputtokens)\b.*?(?:at most|or equal to|<=|\d ?>|\[1,|between 1 and) `?(\d+)",
    re.DOTALL,
)
"""How words name the most tokens that an answer, or a request with its answer, may have."""


def judge(error: ErrorAnswer, sent: Mapping[str, Any], own: Collection[str] = ()) -> tuple[About, str]:
    """Returns what an error is about, and the name of the parameter, empty unless it is about one.

    sent: the parameters that were sent. own: the names of those that the user has added to each request.
    """
    said = " ".join([*sorted(error.codes), error.words[:MOST_JUDGED].lower()])
    if name := _too_many_tokens(error, said, sent):
        return About.SETTING, name
    for rule in RULES:
        if rule.fits(error, said):
            return rule.about, ""
    if error.status in _MAY_REFUSE_PARAMETERS:
        if name := _own_parameter(error, own):
            return About.SETTING, name
        if name := _refused_parameter(error, said, sent):
            return About.PARAMETER, name
    if error.status == NO_STATUS or error.status >= 500:
        return About.OUTAGE, ""
    return About.UNCLEAR if error.status in (400, FORBIDDEN, 422) else About.SERVER, ""


def _too_many_tokens(error: ErrorAnswer, said: str, sent: Mapping[str, Any]) -> str:
    """The name of the limit on an answer's tokens, if it is beyond what the words allow for any request."""
    name = next((name for name in ("max_tokens", "max_completion_tokens") if name in sent), "")
    if not name or error.status not in _BAD_REQUEST:
        return ""
    is_over = any(int(found[1] or found[2]) <= sent[name] for found in _LIMIT.finditer(said))
    return name if is_over else ""


def _own_parameter(error: ErrorAnswer, own: Collection[str]) -> str:
    if (root := _root(error.parameter)) in own:
        return root
    return next((name for name in own if re.search(rf"['\"`:.] ?{re.escape(name)}\b", error.words)), "")


def _refused_parameter(error: ErrorAnswer, said: str, sent: Mapping[str, Any]) -> str:
    if (root := _root(error.parameter)) in sent:
        return root
    return next((name for name, words in _MENTIONS.items() if name in sent and re.search(words, said)), "")


def _root(parameter: object) -> str:
    """`response_format` for `response_format.json_schema`."""
    return re.split(r"[.\[]", parameter)[0] if isinstance(parameter, str) else ""

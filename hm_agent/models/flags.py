"""The flags that describe a model: which one, how it is sampled, what it may cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from absl import flags

from hm_agent.config import ConfigError
from hm_agent.models.chat import Sampling
from hm_agent.models.providers import BUILTIN, LOCAL, PRESETS, ModelSettings
from hm_agent.number_flags import define_float


class ModelFlags:
    """Defines the flags among those of a command, and reads what they say.

    asked: what the model does, for the help. groups: the flags as the help shows them. unused: by the beginning of a
    model's name, why some flags change nothing for it, and which.
    """

    def __init__(self, values: flags.FlagValues, asked: str = "answers the agent's questions") -> None:
        here: Mapping[str, Any] = {"flag_values": values}
        self._model = flags.DEFINE_string(
            "model",
            "builtin",
            f"Who {asked}: builtin, local:smollm2, local:PATH (a GGUF file), or a model's name.",
            **here,
        )
        self._preset = flags.DEFINE_enum(
            "preset",
            None,
            list(PRESETS),
            "A model with its sampling from the paper's table 4; other flags win.",
            **here,
        )
        self._base_url = flags.DEFINE_string(
            "base_url",
            None,
            "The endpoint, e.g. http://localhost:8000/v1; else OPENAI_BASE_URL, else OpenAI's own.",
            **here,
        )
        self._key = flags.DEFINE_string(
            "api_key_env", "OPENAI_API_KEY", "The environment variable with the key.", **here
        )
        self._timeout = define_float("timeout", 120.0, "How many seconds a call may take.", lower_bound=0.1, **here)
        self._retries = flags.DEFINE_integer(
            "retries", 5, "How often a failed call is made again, with growing pauses.", lower_bound=0, **here
        )
        self._patience = define_float(
            "patience",
            600.0,
            "For how many seconds an endpoint that has worked may be out of order.",
            lower_bound=0,
            **here,
        )
        self._temperature = define_float(
            "temperature", None, "Sent only if set, as all of these.", lower_bound=0, **here
        )
        self._top_p = define_float("top_p", None, "Nucleus sampling.", 0, 1, **here)
        self._tokens = flags.DEFINE_integer("max_output_tokens", None, "The longest answer.", lower_bound=1, **here)
        self._completions = flags.DEFINE_integer(
            "completions", None, "How many to draw at once; the first valid one counts.", lower_bound=1, **here
        )
        self._effort = flags.DEFINE_string("reasoning_effort", None, "Of reasoning models, e.g. low.", **here)
        self._cache = flags.DEFINE_string(
            "cache", None, "A file (SQLite) that keeps every answer and gives it again.", **here
        )
        self._offline = flags.DEFINE_bool("offline", False, "Answer from --cache alone, and never call.", **here)
        self._max_calls = flags.DEFINE_integer(
            "max_calls", None, "End the run after so many calls.", lower_bound=0, **here
        )
        self._max_cost = define_float(
            "max_cost", None, "End the run once so many USD are spent.", lower_bound=0, **here
        )
        self._prices = flags.DEFINE_string(
            "prices",
            None,
            "TOML that adds to the listed prices: [name], input, output (USD for a million tokens).",
            **here,
        )
        self.groups: Mapping[str, tuple[flags.FlagHolder[Any], ...]] = {
            "The model": (
                self._model,
                self._preset,
                self._base_url,
                self._key,
                self._timeout,
                self._retries,
                self._patience,
            ),
            "How it is sampled": (self._temperature, self._top_p, self._tokens, self._completions, self._effort),
            "What it may cost": (self._cache, self._offline, self._max_calls, self._max_cost, self._prices),
        }

        endpoint = (self._base_url, self._key, self._timeout, self._retries, self._patience)
        rest = (*self.groups["How it is sampled"], *self.groups["What it may cost"])
        self.unused: Mapping[str, tuple[str, Sequence[flags.FlagHolder[Any]]]] = {
            BUILTIN: ("calculates and calls nobody", (*endpoint, *rest)),
            LOCAL: ("runs in this process", endpoint),
        }

    def settings(self) -> ModelSettings:
        """The model that the flags describe; raises ConfigError for one without a name."""
        if not self._model.value.strip():
            raise ConfigError("--model names no model; see --list")
        preset = PRESETS[self._preset.value] if self._preset.value else ModelSettings(self._model.value)
        return replace(
            preset,
            name=self._model.value if self._model.present else preset.name,
            base_url=self._base_url.value,
            api_key_env=self._key.value,
            sampling=self._sampling(preset.sampling),
            timeout=self._timeout.value,
            retries=self._retries.value,
            patience=self._patience.value,
            cache=_path(self._cache),
            offline=self._offline.value,
            max_calls=self._max_calls.value,
            max_cost=self._max_cost.value,
            prices=_path(self._prices),
        )

    def _sampling(self, preset: Sampling) -> Sampling:
        said = {
            "temperature": self._temperature.value,
            "top_p": self._top_p.value,
            "max_output_tokens": self._tokens.value,
            "completions": self._completions.value,
            "reasoning_effort": self._effort.value,
        }
        return replace(preset, **{name: value for name, value in said.items() if value is not None})


def _path(flag: flags.FlagHolder[str | None]) -> Path | None:
    return Path(flag.value) if flag.value else None

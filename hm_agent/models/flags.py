"""The flags that describe a model: which one, how it is sampled, what it may cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from absl import flags

from hm_agent.config import ConfigError
from hm_agent.flags.fields import FlagField
from hm_agent.flags.parsing import FlagGroups, define_field, define_fields, read_fields
from hm_agent.models.chat import Sampling
from hm_agent.models.local import LOCAL
from hm_agent.models.settings import BUILTIN, PERSON, PRESETS, ModelSettings

ENDPOINT = ("base_url", "api_key_env", "header", "timeout", "retries", "patience")
PAID = ("cache", "offline", "max_calls", "max_cost", "prices", "rates")
"""The flags of an endpoint, and of what calls cost, as the help shows them."""


class ModelFlags:
    """Defines the flags among those of a command, and reads their values.

    task: what the model does, for the help. groups: the flags by the titles of the help. unused: by the beginning of a
    model's name, the reason why some flags have no effect for it, and these flags.
    """

    def __init__(self, values: flags.FlagValues, task: str = "answers the agent's questions") -> None:
        about = f"What {task}: builtin, local:smollm2, local:PATH (a GGUF file), or a model's name."
        preset = "A model with its sampling from the paper's table 4; other flags override it."
        self._values = values
        define_field(FlagField("model", str, ModelSettings.name, "model", about), values)
        define_field(FlagField("preset", str, None, "preset", preset, choices=tuple(PRESETS)), values)
        define_fields(ModelSettings, values)
        sampled = define_fields(Sampling, values)
        self.groups: FlagGroups = {
            "The model": dict.fromkeys(("model", "preset", *ENDPOINT, "page"), ""),
            "How it is sampled": dict.fromkeys(sampled, ""),
            "What it may cost": dict.fromkeys(PAID, ""),
        }
        self.unused: Mapping[str, tuple[str, Sequence[str]]] = {
            BUILTIN: ("calculates and calls nobody", (*ENDPOINT, *sampled, *PAID, "page")),
            LOCAL: ("runs in this process", (*ENDPOINT, "extra_body", "page")),
            PERSON: ("is a person", (*ENDPOINT, *sampled)),
        }

    def settings(self) -> ModelSettings:
        """Returns the model settings that the flags describe; raises ConfigError for an empty name."""
        name, chosen = self._values.model, self._values.preset
        if not name.strip():
            raise ConfigError("--model names no model; see --list")
        preset = PRESETS[chosen] if chosen else ModelSettings(name)
        sampled = {name: value for name, value in read_fields(Sampling, self._values).items() if value is not None}
        return replace(
            preset,
            name=name if self._values["model"].present else preset.name,
            sampling=replace(preset.sampling, **sampled),
            **read_fields(ModelSettings, self._values),
        )

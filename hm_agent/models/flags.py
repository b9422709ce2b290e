"""The flags that describe a model: which one, how it is sampled, what it may cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from absl import flags

from hm_agent.command_flags import define_fields, read_fields
from hm_agent.config import ConfigError
from hm_agent.models.chat import Sampling
from hm_agent.models.local import LOCAL
from hm_agent.models.settings import BUILTIN, PERSON, PRESETS, ModelSettings

ENDPOINT = ("base_url", "api_key_env", "header", "timeout", "retries", "patience")
PAID = ("cache", "offline", "max_calls", "max_cost", "prices", "rates")
"""The flags of an endpoint, and of what calls cost, as the help shows them."""
Flags = tuple[flags.FlagHolder[Any], ...]


class ModelFlags:
    """Defines the flags among those of a command, and reads their values.

    task: what the model does, for the help. groups: the flags by the titles of the help. unused: by the beginning of a
    model's name, the reason why some flags have no effect for it, and these flags.
    """

    def __init__(self, values: flags.FlagValues, task: str = "answers the agent's questions") -> None:
        about = f"What {task}: builtin, local:smollm2, local:PATH (a GGUF file), or a model's name."
        preset = "A model with its sampling from the paper's table 4; other flags override it."
        self._values = values
        self._name = flags.DEFINE_string("model", ModelSettings.name, about, flag_values=values)
        self._preset = flags.DEFINE_enum("preset", None, list(PRESETS), preset, flag_values=values)
        own = define_fields(ModelSettings, values)
        endpoint, paid = (tuple(own[name] for name in names) for names in (ENDPOINT, PAID))
        sampling = define_fields(Sampling, values)
        sampled, page = tuple(sampling.values()), own["page"]
        self.groups: Mapping[str, Flags] = {
            "The model": (self._name, self._preset, *endpoint, page),
            "How it is sampled": sampled,
            "What it may cost": paid,
        }
        self.unused: Mapping[str, tuple[str, Flags]] = {
            BUILTIN: ("calculates and calls nobody", (*endpoint, *sampled, *paid, page)),
            LOCAL: ("runs in this process", (*endpoint, sampling["extra_body"], page)),
            PERSON: ("is a person", (*endpoint, *sampled)),
        }

    def settings(self) -> ModelSettings:
        """Returns the model settings that the flags describe; raises ConfigError for an empty name."""
        name = self._name.value
        if not name.strip():
            raise ConfigError("--model names no model; see --list")
        preset = PRESETS[self._preset.value] if self._preset.value else ModelSettings(name)
        sampled = {name: value for name, value in read_fields(Sampling, self._values).items() if value is not None}
        return replace(
            preset,
            name=name if self._name.present else preset.name,
            sampling=replace(preset.sampling, **sampled),
            **read_fields(ModelSettings, self._values),
        )

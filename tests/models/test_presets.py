"""The base models that the paper compares, by flag."""

from __future__ import annotations

from absl import flags

from hm_agent.flags.parsing import read_flags
from hm_agent.models.chat import Sampling
from hm_agent.models.flags import ModelFlags
from hm_agent.models.settings import PRESETS, ModelSettings


def settings_of(*arguments: str) -> ModelSettings:
    values = flags.FlagValues()  # type: ignore[no-untyped-call]
    model_flags = ModelFlags(values)
    read_flags(values, ("hm-agent play", *arguments))
    return model_flags.settings()


def test_each_base_model_of_the_paper_has_a_preset_that_parses() -> None:
    """Figure 5 compares three, with the sampling of table 4."""
    found = {preset: settings_of(f"--preset={preset}") for preset in ("gpt-4", "gpt-3.5", "llama-3")}
    assert found == PRESETS


def test_a_preset_keeps_its_sampling_for_another_model() -> None:
    found = settings_of("--preset=llama-3", "--model=served", "--base_url=http://localhost:8000/v1")
    assert (found.name, found.sampling) == ("served", Sampling(0.2, 1.0, 2000, 10))
    assert settings_of("--preset=gpt-4", "--temperature=0.7").sampling == Sampling(0.7, 1.0, 4000, 1)

"""What other machines need for an experiment, without a cluster."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.config import ConfigError
from hm_agent.experiment import Experiment
from hm_agent.models.settings import ModelSettings
from hm_agent.pool.other_machines import portable, shared_setup

SCENARIOS = find_scenarios(["rws_repeated_1"])


def with_model(name: str, out: Path) -> Experiment:
    return Experiment(SCENARIOS, model=ModelSettings(name), out=out, engine="ray")


@pytest.mark.parametrize("name", ["local:model.gguf", "local:models/model.gguf"])
def test_a_models_file_is_named_by_its_whole_path(name: str, tmp_path: Path) -> None:
    path = Path(name.removeprefix("local:")).absolute()
    with pytest.raises(ConfigError, match=f"--model={name}: --engine=ray needs the whole path, e.g. local:{path}"):
        with_model(name, tmp_path).check()


def test_a_machine_that_does_not_see_the_models_file_says_so(tmp_path: Path) -> None:
    marker, file = tmp_path / "marker", tmp_path / "model.gguf"
    marker.touch()
    setup = replace(shared_setup(portable(with_model(f"local:{file}", tmp_path)), str(marker)), patience=0.0)
    file.touch()
    here = setup.inventory()
    file.unlink()
    assert (
        setup.difference(here) == f"--model=local:{file} is not visible there and visible here; all nodes need the same"
    )


def test_a_packaged_model_needs_no_file_of_its_own(tmp_path: Path) -> None:
    assert list(shared_setup(portable(with_model("local:smollm2", tmp_path)), "marker").paths) == [f"--out={tmp_path}"]

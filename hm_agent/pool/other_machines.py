"""Prepares an experiment for other machines, and finds what a machine lacks for it."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hm_agent.experiment import Experiment
from hm_agent.models.local import named_file
from hm_agent.models.settings import BUILTIN

FILE_SYSTEM_DELAY = 3.0
"""Seconds until a file written on one machine is visible on the others, on slow network file systems."""


def portable(experiment: Experiment) -> Experiment:
    """Returns the checked experiment without anything that depends on the working directory or environment here."""
    model, folders = experiment.model, experiment.folders.items()
    adapted = replace(
        experiment,
        out=experiment.out.absolute(),
        options={**experiment.options, **{flag: str(folder.absolute()) for flag, folder in folders}},
        model=replace(model, base_url=model.endpoint_url, prices=model.prices and model.prices.absolute()),
    )
    _ = adapted.options_by_scenario  # cached and pickled with the experiment, so that all machines play the same
    return adapted


@dataclass(frozen=True)
class SharedSetup:
    """What must be the same on all machines: packages, paths by flag, and environment variables.

    patience: seconds to wait for a path that is not visible.
    """

    packages: Sequence[str]
    paths: Mapping[str, str]
    variables: Sequence[str]
    patience: float = FILE_SYSTEM_DELAY

    def inventory(self) -> Mapping[str, str]:
        """Returns what this machine has, by name: versions of packages, whether paths are visible and variables set."""
        from hm_agent.recording.result import versions  # raises ImportError where hm_agent itself is missing

        paths = {
            flag: "visible" if _is_visible(path, self.patience) else "not visible" for flag, path in self.paths.items()
        }
        variables = {name: "set" if os.environ.get(name, "").strip() else "not set" for name in self.variables}
        return {**versions(self.packages), **paths, **variables}

    def difference(self, elsewhere: Mapping[str, str]) -> str | None:
        """Returns the first difference from the inventory of the command's machine, as one line; None without any."""
        try:
            inventory = self.inventory()
        except ImportError as error:
            return f"{error}; install the same on all nodes"
        for name, value in elsewhere.items():
            if inventory[name] != value:
                return f"{name} is {inventory[name]} there and {value} here; all nodes need the same"
        return None


def shared_setup(experiment: Experiment, marker: str) -> SharedSetup:
    """Collects what an experiment needs. marker: a file in OUT, which shows a machine that it sees the same folder."""
    model = experiment.model
    packages = [package for suite in experiment.suites for package in suite.packages]
    paths = {"prices": model.prices, **experiment.folders}
    named = {f"--{flag}={path}": str(path) for flag, path in paths.items() if path}
    if not model.offline:
        named |= {f"--model={name}": str(file) for name in experiment.model_names if (file := named_file(name))}
    # The variable with the endpoint's key, if set here: each machine reads its own, so the key is never sent.
    is_asked = any(name != BUILTIN for name in experiment.model_names) and not model.offline
    variables = [model.api_key_env] if is_asked and os.environ.get(model.api_key_env, "").strip() else []
    return SharedSetup(packages, {f"--out={experiment.out}": marker, **named}, variables)


def _is_visible(path: str, patience: float) -> bool:
    deadline = time.monotonic() + patience
    while not (is_there := Path(path).exists()) and time.monotonic() < deadline:
        time.sleep(0.1)
    return is_there

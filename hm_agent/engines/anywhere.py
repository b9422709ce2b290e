"""An experiment that is the same on every machine, and what a machine has to have for it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import NamedTemporaryFile

from hm_agent.engines.post import Needs
from hm_agent.experiment import Experiment
from hm_agent.models.providers import BUILTIN, ModelSettings
from hm_agent.recording.result import versions


def anywhere(experiment: Experiment) -> Experiment:
    """The same whatever a node's working directory, environment and bots."""
    model = experiment.model
    endpoint = os.environ.get("OPENAI_BASE_URL") or None if model.base_url is None else model.base_url
    there = replace(
        experiment,
        out=experiment.out.absolute(),
        bots_dir=_absolute(experiment.bots_dir),
        model=replace(model, base_url=endpoint, prices=_absolute(model.prices)),
    )
    _ = there.bots_by_scenario  # is kept with it, and so chosen here for all
    return there


def _absolute(path: Path | None) -> Path | None:
    return path and path.absolute()


@contextmanager
def needs_of(experiment: Experiment) -> Iterator[Needs]:
    """Leaves a file in OUT meanwhile, by which nodes know that it is the same folder."""
    named = {"prices": experiment.model.prices, "bots_dir": experiment.bots_dir}
    paths = {f"--{flag}={path}": str(path) for flag, path in named.items() if path}
    with NamedTemporaryFile(dir=experiment.out, prefix=".shared-") as mark:
        yield Needs(versions(), {f"--out={experiment.out}": mark.name, **paths}, _keys(experiment.model))


def _keys(model: ModelSettings) -> list[str]:
    """The variable that holds the key, where there is one: each node reads its own, so that none is ever sent."""
    is_asked = model.name != BUILTIN and not model.offline
    return [model.api_key_env] if is_asked and os.environ.get(model.api_key_env, "").strip() else []

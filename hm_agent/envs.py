"""Scenarios as environments of PettingZoo; needs the extra `envs`.

    from hm_agent.envs import parallel_env

    env = parallel_env("symmtom_w6_n3_c3", render_mode="rgb_array")
    observations, infos = env.reset(seed=0)

Importing this module also registers what worlds have under ids, e.g. `pettingzoo.env_registry.registration.make(
"parallel", "hm_agent/SymmToM-v0", scenario="symmtom_w12_n4_c12")`.
"""

from __future__ import annotations

from typing import Any

from pettingzoo.env_registry import register

from hm_agent.config import ConfigError
from hm_agent.registry import find_scenarios, suites
from hm_agent.suite import Setting


def parallel_env(scenario: str, *, render_mode: str | None = None, **options: str) -> Any:
    """A scenario as a `pettingzoo.ParallelEnv`.

    render_mode: `rgb_array`, or None to draw nothing. options: of the world, as its flags are called. Raises
    ConfigError for an unknown scenario or option, and for a world that has no such environment.
    """
    found = find_scenarios([scenario])
    if len(found) > 1:
        raise ConfigError(f"{scenario!r} stands for {len(found)} scenarios; an environment is of one")
    suite = suites()[found[0].world]
    settings: dict[str, Setting] = {option.name: option.default for option in suite.options}
    if unknown := options.keys() - settings.keys():
        raise ConfigError(f"{suite.title} has no option {min(unknown)!r}: there are {', '.join(settings)}")
    settled = suite.settle(found[0], {**settings, **suite.chosen(options)})
    return suite.parallel_env(found[0], settled, render_mode)


for _suite in suites().values():
    for _id, _scenario in _suite.environments.items():
        register("parallel", _id, "hm_agent.envs:parallel_env", kwargs={"scenario": _scenario})

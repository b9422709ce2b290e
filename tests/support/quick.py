"""Which tests `pytest --quick` leaves out: by what they use, and by the CPU time that they took in earlier runs.

A test is left out if it, a fixture of it or a function of tests/ that these call names what starts processes or takes
seconds to import, or if it needs a browser. Every run keeps what its tests took, in pytest's cache, so that no list
says which others are long; the first quick run of a checkout therefore plays these, too.
"""

from __future__ import annotations

import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest

LONG = frozenset({"jax", "multiprocessing", "ray", "subprocess", "tensorflow"})
BROWSER = "chromium"
"""The fixture by which a test gets a browser."""
MOST_SECONDS = 0.1
"""The CPU time up to which a test is quick, with its share of the fixtures that it has in common with others."""
TOOK = "hm_agent/cpu_seconds"
"""The key of the cache: CPU seconds by test and by fixture."""


class QuickTests:
    """The plugin. took: CPU seconds in this run, child processes included, of each test and of each shared fixture."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._took: defaultdict[str, float] = defaultdict(float)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        before, of_others = _cpu_seconds(), sum(self._took.values())
        result = yield
        of_fixtures = sum(self._took.values()) - of_others
        self._took[item.nodeid] += _cpu_seconds() - before - of_fixtures
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[None]:
        before = _cpu_seconds()
        result = yield
        if fixturedef.scope != "function":
            self._took[_name(fixturedef)] += _cpu_seconds() - before
        return result

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Takes over what the tests of a worker of pytest-xdist took."""
        self._took |= getattr(node, "workeroutput", {}).get(TOOK, {})

    def pytest_sessionfinish(self) -> None:
        cache, to_controller = getattr(self._config, "cache", None), getattr(self._config, "workeroutput", None)
        if to_controller is not None:
            to_controller[TOOK] = dict(self._took)
        elif cache is not None:
            cache.set(TOOK, {**cache.get(TOOK, {}), **self._took})

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self._config.getoption("quick"):
            cache = getattr(self._config, "cache", None)
            costs = _costs(items, cache.get(TOOK, {}) if cache is not None else {})
            long = {item for item in items if costs[item] > MOST_SECONDS or is_long(item)}
            self._config.hook.pytest_deselected(items=[item for item in items if item in long])
            items[:] = [item for item in items if item not in long]


def _cpu_seconds() -> float:
    return sum(os.times()[:4])


def _name(fixture: pytest.FixtureDef[Any]) -> str:
    return f"{fixture.baseid} {fixture.argname}"


def _fixtures(item: pytest.Item) -> Sequence[pytest.FixtureDef[Any]]:
    by_name: Mapping[str, Sequence[pytest.FixtureDef[Any]]] = getattr(item, "_fixtureinfo").name2fixturedefs  # noqa: B009
    return [fixture for defined in by_name.values() for fixture in defined]


def _costs(items: Sequence[pytest.Item], took: Mapping[str, float]) -> Mapping[pytest.Item, float]:
    """What each test took, with its share of its fixtures; 0 for what never ran."""
    names = {item: {_name(fixture) for fixture in _fixtures(item)} for item in items}
    users = Counter(name for used in names.values() for name in used)
    return {
        item: took.get(item.nodeid, 0.0) + sum(took.get(name, 0.0) / users[name] for name in names[item])
        for item in items
    }


def is_long(item: pytest.Item) -> bool:
    """True if a test is marked as slow, needs a browser, or names what is in LONG, itself or by others of tests/."""
    fixtures = _fixtures(item)
    if item.get_closest_marker("slow") or any(fixture.argname == BROWSER for fixture in fixtures):
        return True
    return any(map(names_long, (getattr(item, "function", None), *(fixture.func for fixture in fixtures))))


_KNOWN: dict[object, bool] = {}


def names_long(function: object) -> bool:
    """The same for a function; False for what is none of tests/."""
    function = getattr(function, "__wrapped__", function)
    if not isinstance(function, FunctionType) or not function.__module__.startswith("tests"):
        return False
    if function not in _KNOWN:
        _KNOWN[function] = False  # as long as it is looked at, for functions that call each other
        names = set(_names(function.__code__))
        used = [function.__globals__[name] for name in names & function.__globals__.keys()]
        _KNOWN[function] = bool(names & LONG) or any(map(_is_long_thing, used)) or any(map(names_long, used))
    return _KNOWN[function]


def _names(code: CodeType) -> Iterator[str]:
    yield from (name.partition(".")[0] for name in code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _is_long_thing(thing: object) -> bool:
    """True for a module in LONG, for what comes from there, and for what comes from a module that imports JAX."""
    name = thing.__name__ if isinstance(thing, ModuleType) else getattr(thing, "__module__", None) or ""
    return name.partition(".")[0] in LONG or hasattr(sys.modules.get(name), "jax")

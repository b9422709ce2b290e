"""Makes Melting Pot deterministic: each episode has its own stream of random numbers, and Lua loops have a fixed order.

Melting Pot draws the environment's seed, the maps of Coins, the bots and their trembles from Python's global `random`,
partly in worker threads, so any other draw in the process would change an episode. Importing this module binds the name
`random` inside Melting Pot's modules to a stand-in that draws from the current episode's stream; the global generator
is neither read nor written, and episodes may be interleaved freely.

Some loops of its Lua code iterate over tables with string keys by `pairs`, whose order differs from build to build:
over avatars, over a game object's components, over updaters of one priority. Where such a loop draws random numbers,
two episodes with the same seed diverge. The engine runs a copy of the Lua code in which these loops sort their keys;
in most levels, which have such loops of their own, all do.
"""

from __future__ import annotations

import atexit
import random
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import dm_env
import meltingpot
from meltingpot.configs.substrates import coins
from meltingpot.utils.policies import policy as policy_lib
from meltingpot.utils.policies import saved_model_policy
from meltingpot.utils.puppeteers import in_the_matrix
from meltingpot.utils.scenarios import population
from meltingpot.utils.substrates import builder

from hm_agent.process.scratch import PREFIX, drop_scratch_folder, make_folder


class _EpisodeRandom(threading.local):
    """Stands in for the module `random`: draws from the current thread's stream, else from the global generator."""

    stream: random.Random | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream or random, name)


EPISODE_RANDOM = _EpisodeRandom()
for _module in (builder, coins, in_the_matrix, population, saved_model_policy):
    _module.random = EPISODE_RANDOM


@contextmanager
def drawing_from(stream: random.Random) -> Iterator[None]:
    """A context in which Melting Pot draws from this stream, in the current thread."""
    before, EPISODE_RANDOM.stream = EPISODE_RANDOM.stream, stream
    try:
        yield
    finally:
        EPISODE_RANDOM.stream = before


class SeededPolicy(policy_lib.Policy[Any]):
    """Wraps a bot so that it draws from its own stream, whichever worker thread it runs in."""

    def __init__(self, policy: policy_lib.Policy[Any], stream: random.Random) -> None:
        self._policy, self._stream = policy, stream

    def initial_state(self) -> Any:
        with drawing_from(self._stream):
            return self._policy.initial_state()

    def step(self, timestep: dm_env.TimeStep, prev_state: Any) -> tuple[int, Any]:
        with drawing_from(self._stream):
            action, state = self._policy.step(timestep, prev_state)
        return action, state

    def close(self) -> None:
        self._policy.close()


_LOOPS = {
    "base_simulation.lua": ("in pairs(self._variables.avatarObjects)", 5),
    "game_object.lua": ("in pairs(self._components)", 2),
    "updater_registry.lua": ("for name, _ in pairs(updaterNames)", 1),
}
"""By Lua module: the code of the loop to sort, and how often it occurs there."""

_IN_ORDER = """
local function _inOrder(map)
  local keys = {}
  for key in pairs(map) do table.insert(keys, key) end
  table.sort(keys)
  local n = 0
  return function()
    n = n + 1
    return keys[n], map[keys[n]]
  end
end
"""


_ALL_IN_ORDER = """
local nativePairs = pairs
local function earlier(a, b)
  if type(a) == type(b) then return a < b end
  return type(a) == 'number'
end
function pairs(map)
  if type(map) ~= 'table' then return nativePairs(map) end
  local keys, length, isSorted = {}, 0, true
  for key in next, map do
    if type(key) ~= 'string' and type(key) ~= 'number' then return nativePairs(map) end
    isSorted = isSorted and (length == 0 or earlier(keys[length], key))
    length = length + 1
    keys[length] = key
  end
  if not isSorted then table.sort(keys, earlier) end
  local n = 0
  return function()
    while n < length do
      n = n + 1
      local value = rawget(map, keys[n])
      if value ~= nil then return keys[n], value end
    end
  end
end
local tables = require 'common.tables'
function tables.deepCopy(input, depth)
  if type(input) ~= 'table' or depth == 0 then return input end
  local output, below = {}, depth and depth - 1
  for key, value in next, input do
    output[key] = type(value) == 'table' and tables.deepCopy(value, below) or value
  end
  local meta = getmetatable(input)
  return meta and setmetatable(output, tables.deepCopy(meta, below)) or output
end
"""
"""Sorts all loops of a level but that of `deepCopy`, whose order means nothing and where most of a start was spent.

Keys that are taken out on the way are skipped, as Lua's own loops do.
"""
_LEVELS_AS_WRITTEN = ("the_matrix", "collaborative_cooking")
"""The levels whose own loops draw no random numbers: they run as Melting Pot wrote them."""

_REPAIRS = {
    "levels/hidden_agenda/components.lua": {'print("INIT ADD SPRITES")': ""},
    "modules/base_simulation.lua": {
        "log.v(1, 'World Config: ' .. helpers.tostring(config))": "",
        "log.v(1, 'Callbacks: ' .. helpers.tostring(callbacks))": "",
    },
    "modules/component_library.lua": {"self:_validateState(state)": "if state then self:_validateState(state) end"},
}
"""By Lua file: code and what takes its place.

The code prints, or aborts the process when a machine of Factory Commons is given a cube, or writes out all objects of a
map for a log that nobody keeps, which took most of a start: 25 of Chemistry's 28 seconds.
"""


@cache
def use_deterministic_lua() -> None:
    """Points Melting Pot's builder at a deterministic copy of its Lua code, deleted when the process ends."""
    folder = make_folder(f"{PREFIX}lua_")
    atexit.register(drop_scratch_folder, folder)
    lua = folder / "meltingpot" / "lua"
    shutil.copytree(Path(meltingpot.__file__).parent / "lua", lua)
    for name, repairs in _REPAIRS.items():
        code = (lua / name).read_text("utf-8")
        for worse, better in repairs.items():
            code = code.replace(worse, better)
        (lua / name).write_text(code, "utf-8")
    for level in (lua / "levels").iterdir():
        if level.name not in _LEVELS_AS_WRITTEN and (start := level / "init.lua").is_file():
            start.write_text(_ALL_IN_ORDER + start.read_text("utf-8"), "utf-8")
    for module, (loop, times) in _LOOPS.items():
        _sort_loops(lua / "modules" / module, loop, times)
    builder._MELTINGPOT_ROOT = str(folder)


def _sort_loops(path: Path, loop: str, times: int) -> None:
    code = path.read_text("utf-8")
    if code.count(loop) != times:
        raise RuntimeError(
            f"{path.name} has {code.count(loop)} loops {loop!r} where {times} are known: "
            "this version of Melting Pot can't be made deterministic; use dm-meltingpot 2.4"
        )
    header, marker, body = code.partition("\nlocal ")
    path.write_text(header + _IN_ORDER + marker + body.replace(loop, loop.replace("pairs", "_inOrder")), "utf-8")

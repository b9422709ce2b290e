"""Makes Melting Pot deterministic: each episode has its own stream of random numbers, and Lua loops a fixed order.

Melting Pot draws the environment's seed, the maps of Coins, the bots and their trembles from Python's global `random`,
partly in worker threads, so any other draw in the process would change an episode. Importing this module binds the name
`random` inside Melting Pot's modules to a stand-in that draws from the current episode's stream; the global generator
is neither read nor written, and episodes may be interleaved freely.

Its Lua code iterates over tables with string keys by `pairs`, whose order differs from build to build: over avatars,
over a game object's components, over updaters of one priority. Where such a loop draws random numbers, two episodes
with the same seed diverge. The engine runs a copy of the Lua code in which all loops of a level sort their keys.
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

from hm_agent.storage.scratch import PREFIX, drop_scratch_folder, make_folder


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


_IN_ORDER = """
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
"""Sorts all loops but that of `deepCopy`, whose order means nothing and where most of a start was spent.

Keys that are taken out on the way are skipped, as Lua's own loops do.
"""
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
    for start in lua.glob("levels/*/init.lua"):
        start.write_text(_IN_ORDER + start.read_text("utf-8"), "utf-8")
    builder._MELTINGPOT_ROOT = str(folder)

"""Makes Melting Pot's Lua code deterministic.

Some of its loops iterate over tables with string keys by `pairs`, whose order differs from build to build: over
avatars, over a game object's components, over updaters of one priority. Where such a loop draws random numbers, two
episodes with the same seed diverge. The engine is given a copy of the Lua code in which these loops run over sorted
keys.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

import meltingpot
from meltingpot.utils.substrates import builder

_LOOPS = {
    "base_simulation.lua": ("in pairs(self._variables.avatarObjects)", 5),
    "game_object.lua": ("in pairs(self._components)", 2),
    "updater_registry.lua": ("for name, _ in pairs(updaterNames)", 1),
}
"""By module: the loop's code in Melting Pot, and how often it occurs."""

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


@cache
def use_deterministic_lua() -> None:
    """Points Melting Pot's builder at the deterministic copy, which is deleted when the process ends."""
    folder = tempfile.TemporaryDirectory(prefix="hm_agent_lua_")
    atexit.register(folder.cleanup)
    lua = Path(folder.name) / "meltingpot" / "lua"
    shutil.copytree(Path(meltingpot.__file__).parent / "lua", lua)
    for module, (loop, times) in _LOOPS.items():
        _sort_loops(lua / "modules" / module, loop, times)
    builder._MELTINGPOT_ROOT = folder.name


def _sort_loops(path: Path, loop: str, times: int) -> None:
    code = path.read_text("utf-8")
    if code.count(loop) != times:
        raise RuntimeError(
            f"{path.name} has {code.count(loop)} loops {loop!r} where {times} are known: "
            "this version of Melting Pot can't be made deterministic; use dm-meltingpot 2.4"
        )
    header, marker, body = code.partition("\nlocal ")
    path.write_text(header + _IN_ORDER + marker + body.replace(loop, loop.replace("pairs", "_inOrder")), "utf-8")

"""Writes the file of any of Melting Pot's substrates (`game-file`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shlex import quote

from hm_agent.config import ConfigError
from hm_agent.flags.parsing import argument_parser
from hm_agent.storage.files import write_whole
from hm_agent.worlds.melting_pot.games import KINDS
from hm_agent.worlds.melting_pot.simulator.game_files import check_game

ABOUT = """Writes the file of one of Melting Pot's substrates from its configuration, for words, scenarios and,
in matrix games, opponents of your own (docs/adding_a_game.md). Times that this can't tell (per_round,
per_thing) are those of the games that ship. Payoffs stay the substrate's: a game with payoffs of your own is a
file in matrix_games/ (docs/matrix_games.md)."""


def main(arguments: Sequence[str]) -> int:
    """`hm-agent game-file SUBSTRATE [FILE]`; returns the exit status."""
    parser = argument_parser("game-file", ABOUT)
    parser.add_argument("substrate", help="e.g. chicken_in_the_matrix__repeated")
    parser.add_argument("file", nargs="?", type=Path, help="the file to write; SUBSTRATE.toml here unless said")
    parsed = parser.parse_args(arguments)
    path = parsed.file or Path(f"{parsed.substrate}.toml")
    if path.exists():
        raise ConfigError(f"{path} is there already: name another file")
    text = next(filter(None, (kind.file(parsed.substrate) for kind in KINDS.values())))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text)
    game = check_game(path)
    first = "0" if game.scenarios else "selfplay"
    play = f"hm-agent play --scenarios_dir={quote(str(path.parent))} --scenario={game.short_name}_{first}"
    print(f"Game: {path}\nPlay it: {play}")
    return 0

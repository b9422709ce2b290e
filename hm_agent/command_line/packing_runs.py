"""`hm-agent pack`: one archive of a run or a card."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hm_agent.cards.packing import ENDING, pack_folder
from hm_agent.config import ConfigError, check_run
from hm_agent.extensions import is_place
from hm_agent.flags.parsing import argument_parser
from hm_agent.process.shell import printable
from hm_agent.recording.result import OWN_FILE
from hm_agent.reporting.runs import read_runs
from hm_agent.storage.files import path_in_words
from hm_agent.wording import counted, first_of

PACK_ABOUT = """Writes a run or a card into one archive, to attach to a paper or an issue.

It has the results, the traces with their prompts and answers, and the cards with their answers: all that
`hm-agent reproduce ARCHIVE` needs to play it again without asking a model, but agents and games of your own."""


def pack_command(arguments: Sequence[str]) -> int:
    """`hm-agent pack RUN`; returns the exit status."""
    parser = argument_parser("pack", PACK_ABOUT)
    parser.add_argument("run", type=Path, metavar="RUN", help="the folder of a run, or a card.json or its folder")
    parser.add_argument("--out", type=Path, help=f"the file to write (default: the folder's name with {ENDING})")
    options = parser.parse_args(arguments)
    check_run(options.run)
    folder = options.run.parent if options.run.is_file() else options.run
    archive = options.out or _beside(folder)
    packed = pack_folder(folder, archive)
    what = f"{counted(packed.episodes, 'episode')} and {counted(packed.cards, 'card')}"
    print(f"Archive: {path_in_words(archive)} with {what}, {packed.size / 1e3:,.0f} kB, SHA-256 {packed.digest}")
    if own := _own_files(folder):
        print(printable(f"Not in it, to be handed on beside it: {', '.join(own)}"))
    return 0


def _own_files(folder: Path) -> list[str]:
    """What else plays the run again, in words: modules of own agents, folders of own games."""
    results = read_runs((folder,)).results
    agents = {seat.agent for one in results for seat in one.seats if is_place(seat.agent)}
    games = {one.scenario for one in results if OWN_FILE in one.settings}
    modules = sorted({agent.partition(":")[0] for agent in agents})
    return [
        *([f"the code of {first_of(modules)}"] if modules else []),
        *([f"the files of {first_of(sorted(games))} (--scenarios_dir)"] if games else []),
    ]


def _beside(folder: Path) -> Path:
    """The archive's path beside the folder: a folder may have a dot in its name."""
    place = folder.resolve()
    if not place.name:
        raise ConfigError(f"{folder} has no name: name the archive with --out")
    return place.with_name(place.name + ENDING) if folder.name in ("", "..") else folder.parent / (folder.name + ENDING)

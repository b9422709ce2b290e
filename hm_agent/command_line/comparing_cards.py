"""`hm-agent leaderboard` and `hm-agent reproduce`: both play again from recorded answers, and ask no model."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from hm_agent.cards.answers import read_answers
from hm_agent.cards.battery import Split
from hm_agent.cards.card import ANSWERS, FOLDER, Card, differences, read_card
from hm_agent.cards.making import WatchPart, derive_again, find_cards
from hm_agent.cards.packing import is_archive, unpack_archive
from hm_agent.cards.reproducing import differences as episode_differences
from hm_agent.cards.reproducing import reproducible
from hm_agent.cards.writing import BOARD, leaderboard, write_leaderboard
from hm_agent.catalogue.registry import register_scenarios, scenarios
from hm_agent.command_line.running_battery import part_title
from hm_agent.config import ConfigError, check_folder, check_run
from hm_agent.experiment import Experiment
from hm_agent.extensions import is_place
from hm_agent.flags.parsing import argument_parser
from hm_agent.models.prompts import prompts_from
from hm_agent.pool.console_progress import progress_for
from hm_agent.pool.progress import NoProgress, Progress
from hm_agent.process.exit_status import FAILED, complain
from hm_agent.process.output import output_console
from hm_agent.process.shell import printable
from hm_agent.recording.result import OWN_FILE
from hm_agent.reporting.runs import read_runs
from hm_agent.storage.files import TEMPLATES, path_in_words
from hm_agent.wording import counted, listed

LEADERBOARD_ABOUT = """Compares the cards that `hm-agent battery` wrote, as a page, a table, a picture and CSV.

Every card is derived again first, from the answers beside it: some minutes each and, once, a quarter of an hour for the
agents that a full draw of the battery is scored by. One whose figures do not follow from its answers is refused, and so
are cards of another battery, of other prompts or of another format than this version's."""
REPRODUCE_ABOUT = """Plays runs again from their recorded answers alone, asks no model, and says what differs.

Of a folder of `hm-agent play` or `battery`, all finished episodes, with the prompts that lie in it: results apart from
times, and traces to the byte. Of a card, its figures. Of an archive of `hm-agent pack`, all that it holds, and with
--own_code by the prompts in it and the agents that it names. Exit status 1 if anything differs."""


def leaderboard_command(arguments: Sequence[str]) -> int:
    """`hm-agent leaderboard CARD...`; returns the exit status."""
    parser = argument_parser("leaderboard", LEADERBOARD_ABOUT)
    parser.add_argument("cards", nargs="+", type=Path, metavar="CARD", help="a card.json, or the folder of a battery")
    parser.add_argument("--out", type=Path, default=Path(BOARD), help=f"the folder to write to (default: {BOARD})")
    _add_card_options(parser)
    options = parser.parse_intermixed_args(arguments)
    check_folder("out", options.out)
    paths = list(dict.fromkeys(path for given in options.cards for path in find_cards(given)))
    cards = {path: read_card(path) for path in paths}
    _check_alike(cards)
    refused = {}
    with TemporaryDirectory(prefix="hm_agent-") as work:
        for number, (path, card) in enumerate(cards.items(), 1):
            print(f"Card {number} of {len(cards)}: {path_in_words(path)}", flush=True)
            refused[path] = _refusal(path, card, options, Path(work), _told_part)
    for path, why in refused.items():
        if why:
            complain("hm-agent leaderboard", f"{path_in_words(path)} is left out: {why}", FAILED)
    sound = [card for path, card in cards.items() if not refused[path]]
    if sound:
        print(f"Leaderboard: {write_leaderboard(leaderboard(sound), options.out)}")
    return FAILED if any(refused.values()) else 0


def reproduce_command(arguments: Sequence[str]) -> int:
    """`hm-agent reproduce RUN...`; returns the exit status."""
    parser = argument_parser("reproduce", REPRODUCE_ABOUT)
    parser.add_argument(
        "runs", nargs="+", type=Path, metavar="RUN", help="the folder of a run, a card.json, or an archive"
    )
    parser.add_argument("--scenarios_dir", type=Path, action="append", default=[], help="a folder with your own games")
    _add_card_options(parser)
    options = parser.parse_intermixed_args(arguments)
    for folder in options.scenarios_dir:
        register_scenarios(folder)
    with TemporaryDirectory(prefix="hm_agent-") as work:
        same = [_reproduce(path, options, Path(work, str(n))) for n, path in enumerate(options.runs)]
    return 0 if all(same) else FAILED


def _add_card_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--split_seed", type=int, help="the seed of a private draw, for cards that do not tell it")
    parser.add_argument(
        "--own_code", action="store_true", help="import the module of an agent that a card or an archive names"
    )
    parser.add_argument(
        "--workers",
        type=_positive,
        metavar="N",
        default=1,
        help="how many processes play the agents that a card is scored by (default: 1)",
    )


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 on")
    return int(text)


def _check_alike(cards: dict[Path, Card]) -> None:
    """Raises ConfigError for cards of different batteries."""
    (first, standard), *others = cards.items()
    for path, card in others:
        if (here := _battery_in_words(card)) != (there := _battery_in_words(standard)):
            raise ConfigError(
                f"{path} is of {here}, and {first} of {there}: only cards of the same battery are compared"
            )


def _battery_in_words(card: Card) -> str:
    return f"the {card.size} {card.split} battery of {', '.join(card.only) or 'all worlds'}"


def _reproduce(path: Path, options: argparse.Namespace, work: Path) -> bool:
    """Plays a run, a card or an archive again, prints what differs, and returns whether nothing does."""
    check_run(path)
    is_packed, folder = is_archive(path), path
    if is_packed:
        folder = work / "unpacked"
        unpack_archive(path, folder)
    has_episodes = folder.is_dir() and any(folder.glob("*/*/*/*/*.json"))
    runs_own_code = options.own_code or not is_packed
    found = [_run_lines(folder, work, path_in_words(path), runs_own_code)] if has_episodes else []
    if not has_episodes or (is_packed and (folder / FOLDER).is_dir()):
        found += [_card_lines(card, options, work, _shown(card, path, folder)) for card in find_cards(folder)]
    for line in chain(*found):
        print(printable(" ".join(line.splitlines())))  # names in it may be a stranger's
    if has_episodes and not is_packed and (path / FOLDER).is_dir():
        print(f"Its cards: hm-agent reproduce {path_in_words(path / FOLDER)}/*/*/card.json")
    return all(len(lines) == 1 and lines[0].endswith(SAME) for lines in found)


def _shown(card: Path, path: Path, folder: Path) -> str:
    """The path of a card as the user knows it: in an archive, after the archive's own."""
    return path_in_words(card if path == folder else path / card.relative_to(folder))


SAME = "the same again"
"""Ends the line on what does not differ."""


def _card_lines(path: Path, options: argparse.Namespace, work: Path, shown: str) -> list[str]:
    why = _refusal(path, read_card(path), options, work, _shown_part)
    return [f"{shown}: {why or SAME}"]


def _run_lines(folder: Path, work: Path, shown: str, runs_own_code: bool) -> list[str]:
    runs = read_runs((folder,), counts_unanswered=True)
    if not (episodes := reproducible(runs)):
        raise ConfigError(f"{shown} has no finished episode")
    results = [episode.result for episode in episodes]
    agents = {name for one in results for name in (one.agent, *(seat.agent for seat in one.seats))}
    if not runs_own_code and (own := sorted(filter(is_place, agents))):
        raise ConfigError(f"{shown}: its agent {own[0]} is code of somebody's own: --own_code runs it")
    missing = sorted({one.scenario for one in results if OWN_FILE in one.settings} - scenarios().keys())
    if missing:
        raise ConfigError(f"{shown}: {missing[0]} is of a file of somebody's own: name its folder with --scenarios_dir")
    watch = progress_for(output_console(), len(episodes)) if sys.stdout.isatty() else nullcontext(NoProgress())
    with prompts_from(folder / TEMPLATES if runs_own_code else None), watch as progress:
        found = [line for episode in episodes for line in episode_differences(episode, work, progress)]
    versions = {episode.result.versions.get("hm_agent", "of an unknown version") for episode in episodes}
    count, writers = counted(len(episodes), "episode"), listed(sorted(versions))
    played = f"{shown}: {count}, played by hm_agent {writers}"
    if not found:
        return [f"{played}: {SAME}"]
    return [*found, f"{played}: {len(found)} differ"]


def _refusal(path: Path, card: Card, options: argparse.Namespace, work: Path, watch: WatchPart) -> str:
    """Why a card does not follow from its answers, in one line; empty if it does."""
    try:
        archive = read_answers(path.parent / ANSWERS)
        place, split = work / card.split, Split(options.split_seed)
        derived = derive_again(
            card, archive, split, place, watch, workers=options.workers, runs_own_code=options.own_code
        )
    except ConfigError as error:
        return str(error)
    found = sorted(differences(card, derived), key=lambda line: line.startswith("hashes."))  # a figure says more
    of_code = ("hashes.code", "hashes.results")
    if derived.hashes.code != card.hashes.code and all(line.startswith(of_code) for line in found):
        was = "was other code then" if card.hashes.code else "may have been other code then: the card does not say"
        return f"all figures are the same, but {card.agent} {was}"
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return f"{found[0]}{more}" if found else ""


def _told_part(part: str, experiment: Experiment, *, is_scale: bool) -> AbstractContextManager[Progress]:
    """The progress of a part's missing episodes, after its title; nothing if there are none."""
    if not (due := experiment.survey().due):
        return nullcontext(NoProgress())
    console = output_console()
    console.out(part_title(part, experiment, is_scale=is_scale), highlight=False)
    return progress_for(console, due, lists_episodes=False)


def _shown_part(part: str, experiment: Experiment, *, is_scale: bool) -> AbstractContextManager[Progress]:
    """The same in a terminal; elsewhere nothing, so that a line for each card is all that is printed."""
    return _told_part(part, experiment, is_scale=is_scale) if sys.stdout.isatty() else nullcontext(NoProgress())

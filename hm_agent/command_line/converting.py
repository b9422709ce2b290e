"""`hm-agent convert`: cards and results in a form that others read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from hm_agent.cards.card import FILE, FOLDER, read_card
from hm_agent.cards.every_eval_ever import Publisher, Record, record_of_card, records_of_rows, write_record
from hm_agent.cards.making import find_cards
from hm_agent.config import ConfigError, check_folder, check_run
from hm_agent.flags.parsing import argument_parser
from hm_agent.reporting.runs import read_runs
from hm_agent.reporting.tables import tabulate
from hm_agent.storage.files import path_in_words

RELATIONS = ("first_party", "third_party", "collaborative", "other")
ABOUT = """Writes cards and results as records of Every Eval Ever, one for each agent and model.

A card, or the folder of a battery, becomes its functional and literal figures; the folder of any other run its means by
scenario. The records go to OUT/data/hm_agent/DEVELOPER/MODEL/, as the repository of Every Eval Ever has them."""


def convert_command(arguments: Sequence[str]) -> int:
    """`hm-agent convert RUN...`; returns the exit status."""
    parser = argument_parser("convert", ABOUT)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="a card.json, or the folder of a run")
    parser.add_argument("--out", type=Path, default=Path(), help="the folder to write to (default: this one)")
    parser.add_argument("--organization", default="unknown", help="who publishes the records (default: unknown)")
    parser.add_argument("--developer", help="the model's developer, where its name has none before a slash")
    parser.add_argument(
        "--relation", default="third_party", choices=RELATIONS, help="to the model's developer (default: third_party)"
    )
    options = parser.parse_intermixed_args(arguments)
    check_folder("out", options.out)
    publisher = Publisher(options.organization, options.developer, options.relation)
    records = [record for path in options.runs for record in _records(path, publisher)]
    for record in records:
        print(f"Record: {path_in_words(write_record(record, options.out))}")
    return 0


def _records(path: Path, publisher: Publisher) -> Iterator[Record]:
    """The records of a card, of a battery's cards, or of a run without cards; raises ConfigError if there are none."""
    check_run(path)
    if path.is_file() or (path / FILE).is_file() or (path / FOLDER).is_dir():
        for card in find_cards(path):
            yield record_of_card(read_card(card), publisher)
        return
    rows = tabulate(read_runs((path,)).results)
    if not any(row.estimate for row in rows):
        raise ConfigError(f"{path} has no card, and no episode that counts as a result")
    yield from records_of_rows(rows, publisher)

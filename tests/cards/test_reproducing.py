"""Runs and cards are played again from their answers alone, and made-up ones are refused."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from hm_agent.cards.answers import pack, unpack
from hm_agent.cards.battery import CANARY
from hm_agent.cards.card import ANSWERS, Card, read_card
from hm_agent.cards.writing import leaderboard
from hm_agent.catalogue.registry import suites
from hm_agent.catalogue.suite import FULL, SMALL
from hm_agent.config import ConfigError
from hm_agent.process.exit_status import FAILED, WRONG_INPUT
from hm_agent.reporting.pages import page
from hm_agent.testing.endpoint import Endpoint, Response, completion
from tests.support.commands import call_here, overriding
from tests.support.few_pairs import SEED, SOON_FOUND, few_pairs
from tests.support.schema_player import answer

SCHEMA = Path(__file__).parents[2] / "docs" / "schemas" / "card.schema.json"
FIRST_CHOICE = """
import hm_agent


class First(hm_agent.Agent):
    def __init__(self, setup): ...
    async def act(self, observation):
        return hm_agent.Decision((*observation.view.choices, "yes")[0])


build = First
"""
READER, WORLD = "--agent=reader", "--world=exploretom"


def sloppy(body: dict[str, Any]) -> Response:
    """An endpoint whose answers fit most questions; about one in five is no JSON at first, and is asked again."""
    last = str(body["messages"][-1]["content"])
    return completion("I think so", prompt=last) if len(last) % 5 == 0 else answer(body)


@pytest.fixture(scope="module")
def served() -> Iterator[Endpoint]:
    with Endpoint(sloppy) as endpoint:
        yield endpoint


@pytest.fixture(scope="module", autouse=True)
def few() -> Iterator[None]:
    with few_pairs():
        yield


@pytest.fixture(scope="module")
def battery(served: Endpoint, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a battery of one world, played by a language model."""
    out = tmp_path_factory.mktemp("battery")
    model = (*served.flags, "--temperature=0.5")
    status, output, errors = call_here(
        "hm-agent",
        "battery",
        *overriding(f"--out={out}", "--noreplay", READER, WORLD, SOON_FOUND, "--tell_split_seed", *model),
    )
    assert (status, errors) == (0, ""), output
    return out


@pytest.fixture
def card(battery: Path, tmp_path: Path) -> Path:
    """A copy of the card with its answers, to be changed."""
    folder = tmp_path / "card"
    shutil.copytree(battery / "cards" / "reader" / "loopback", folder)
    return folder / "card.json"


def change(path: Path, **changes: Any) -> None:
    fields = json.loads(path.read_text())
    path.write_text(json.dumps(fields | changes))


def test_the_published_schema_is_the_one_of_the_code(card: Path) -> None:
    assert json.loads(SCHEMA.read_text()) == TypeAdapter(Card).json_schema()
    assert read_card(card).model == "loopback"


def test_a_run_with_an_edited_result_or_trace_differs(battery: Path, tmp_path: Path) -> None:
    for name, old, new in (
        ("result.json", '"steps": ', '"steps": 1'),
        ("trace.jsonl", '"step": 0', '"step": 3000'),
    ):
        out = tmp_path / name
        shutil.copytree(battery, out)
        path, *_ = sorted(out.glob(f"*/reader/*/*/{name}"))
        path.write_text(path.read_text().replace(old, new, 1))
        status, output, _ = call_here("hm-agent", "reproduce", str(out))
        assert status == FAILED
        assert " episodes" in output
        assert "1 differ" in output


def test_a_packed_run_is_played_again_to_the_same_bytes_with_its_card_and_without_any_request(
    battery: Path, served: Endpoint, tmp_path: Path
) -> None:
    before = len(served.received)
    assert before >= 6, "two stories of three pairs"
    archives = [tmp_path / name for name in ("one.tar.gz", "other.tar.gz")]
    for archive in archives:
        status, output, errors = call_here("hm-agent", "pack", str(battery), f"--out={archive}")
        assert (status, errors) == (0, "")
        assert re.search(r"27 episodes and 1 card, \d+ kB, SHA-256", output)
    assert archives[0].read_bytes() == archives[1].read_bytes()
    status, output, errors = call_here("hm-agent", "reproduce", str(archives[0]))
    assert (status, errors) == (0, "")
    assert len(served.received) == before
    run, card = output.splitlines()
    assert run.startswith(f"{archives[0]}: ")
    assert run.endswith("the same again")
    assert card == f"{archives[0]}/cards/reader/loopback/card.json: the same again"


def test_a_run_that_is_played_again_shows_its_progress_in_a_terminal(battery: Path) -> None:
    terminal, inner = pty.openpty()
    command = [sys.executable, "-m", "hm_agent", "reproduce", str(battery)]
    shown = b""
    with subprocess.Popen(command, stdout=inner, env=os.environ | {"COLUMNS": "120", "TERM": "xterm"}):
        os.close(inner)
        with suppress(OSError):  # that is how the other end is closed
            while part := os.read(terminal, 4096):
                shown += part
    os.close(terminal)
    assert b"/27" in shown
    assert b"1 running, 0 failed" in shown


def test_an_archive_does_not_run_code_that_it_names(battery: Path, tmp_path: Path) -> None:
    path, *_ = sorted(battery.glob("*/reader/*/*/result.json"))
    fields = json.loads(path.read_text())
    fields["seats"][0]["agent"] = "os:abort"
    copy = tmp_path / "run" / path.relative_to(battery)
    copy.parent.mkdir(parents=True)
    fields["settings"]["scenarios_dir"] = "sha256:0123456789ab"
    copy.write_text(json.dumps(fields))
    status, output, _ = call_here("hm-agent", "pack", str(tmp_path / "run"))
    needed = f"the code of os, the files of {fields['scenario']} (--scenarios_dir)"
    assert (status, output.splitlines()[1:]) == (0, [f"Not in it, to be handed on beside it: {needed}"])
    status, _, errors = call_here("hm-agent", "reproduce", str(tmp_path / "run.tar.gz"))
    assert status == WRONG_INPUT
    assert "its agent os:abort is code of somebody's own: --own_code runs it" in errors


def test_a_packed_card_is_read_from_the_archive_and_no_archive_is_overwritten(card: Path) -> None:
    change(card, hashes=json.loads(card.read_text())["hashes"] | {"items": "0" * 64})
    assert call_here("hm-agent", "pack", str(card))[0] == 0
    archive = card.parent.with_name("card.tar.gz")
    status, output, _ = call_here("hm-agent", "reproduce", str(archive))
    assert status == FAILED
    assert output.startswith(f"{archive}/card.json: hashes.items is 000000000000, and this version has ")
    status, _, errors = call_here("hm-agent", "pack", str(card.parent))
    assert (status, errors.count("\n")) == (WRONG_INPUT, 1)
    assert "card.tar.gz exists already: name another file with --out" in errors


def test_a_card_is_derived_again_from_its_answers(card: Path, tmp_path: Path) -> None:
    status, output, errors = call_here("hm-agent", "reproduce", str(card))
    assert (status, errors) == (0, "")
    assert output == f"{card}: the same again\n"
    status, output, errors = call_here(
        "hm-agent", "leaderboard", str(card.parent), "--workers=2", f"--out={tmp_path / 'board'}"
    )
    assert (status, errors) == (0, "")
    first, *parts, board = output.splitlines()
    assert (first, board) == (f"Card 1 of 1: {card}", f"Leaderboard: {tmp_path / 'board' / 'leaderboard.html'}")
    assert "ExploreToM, order 1: reader with loopback, 1 episode" in parts, "what takes its time is told before it"
    assert {path.suffix for path in (tmp_path / "board").iterdir()} == {".html", ".md", ".png", ".csv"}
    assert "| reader | loopback |" in (tmp_path / "board" / "leaderboard.md").read_text()


def test_a_card_of_an_agent_of_the_ladder_is_derived_again_with_its_scale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = suites()["symmtom"]
    monkeypatch.setattr(type(suite), "per_order", {SMALL: 1, FULL: 2})
    monkeypatch.setattr(type(suite), "shortcuts", suite.shortcuts[:1])
    flags = ("--world=symmtom", "--agent=order_1", "--noreplay", f"--out={tmp_path}")
    status, output, errors = call_here("hm-agent", "battery", *flags)
    assert (status, errors) == (0, "")
    assert "SymmToM, order 1: 5 scripted agents to score by, 10 episodes" in output
    path = tmp_path / "cards" / "order_1" / "builtin" / "card.json"
    world = read_card(path).world("symmtom")
    assert world is not None
    assert world.position is not None
    assert (world.position.at.mean, world.position.lowest, world.position.highest) == (1.0, 1, 2)
    assert world.orders[1].references["order_2"] == 1.0
    assert path.with_name("card.png").is_file()
    assert call_here("hm-agent", "reproduce", str(path)) == (0, f"{path}: the same again\n", "")


def test_an_edited_figure_is_refused_in_one_line_that_names_it(card: Path, tmp_path: Path) -> None:
    fields = json.loads(card.read_text())
    fields["worlds"][0]["orders"][0]["functional"]["mean"] = 0.99
    card.write_text(json.dumps(fields))
    status, output, errors = call_here("hm-agent", "leaderboard", str(card), f"--out={tmp_path / 'board'}")
    assert (status, "Leaderboard:" in output) == (FAILED, False)
    assert errors.count("\n") == 1
    assert "is left out: worlds.exploretom.orders.order 1.functional.mean is 0.99 on the card, and its" in errors
    assert not (tmp_path / "board").exists()


def test_edited_answers_are_refused_even_with_a_new_hash(card: Path) -> None:
    path = card.parent / ANSWERS
    answers = unpack(path.read_bytes(), "")
    place, by_seat = next(iter(answers.items()))
    seat, questions = next(iter(by_seat.items()))
    path.write_bytes(pack({**answers, place: {**by_seat, seat: questions[:-1]}}))
    _, output, _ = call_here("hm-agent", "reproduce", str(card))
    assert "hashes.answers: the answers beside it are not those that it was made from" in output

    from hm_agent.cards.answers import content_hash

    hashes = json.loads(card.read_text())["hashes"] | {"answers": content_hash(path.read_bytes())}
    change(card, hashes=hashes)
    status, output, _ = call_here("hm-agent", "reproduce", str(card))
    assert status == FAILED
    assert "on the card, and its answers give" in output


def test_a_card_without_its_answers_is_refused(card: Path) -> None:
    (card.parent / ANSWERS).unlink()
    assert "the answers beside it are not" in call_here("hm-agent", "reproduce", str(card))[1]


def test_a_name_on_a_card_can_neither_steer_the_terminal_nor_make_up_a_line(card: Path) -> None:
    change(card, agent="\x1b]0;owned\x07\nother.json: the same again")
    status, output, _ = call_here("hm-agent", "reproduce", str(card))
    assert (status, output.count("\n"), "\x1b" in output) == (FAILED, 1, False)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"format": 1}, "has format 1, and this version reads cards of format 2"),
        ({"boast": "best"}, "is no card: boast"),
        ({"size": "huge"}, "is no card: size"),
    ],
)
def test_what_is_no_card_of_this_version_is_refused(card: Path, changes: dict[str, Any], said: str) -> None:
    change(card, **changes)
    status, _, errors = call_here("hm-agent", "leaderboard", str(card))
    assert (status, errors.count("\n")) == (WRONG_INPUT, 1)
    assert said in errors


@pytest.mark.parametrize("name", ["items", "prompts"])
def test_a_card_of_other_items_or_prompts_is_refused(card: Path, name: str) -> None:
    change(card, hashes=json.loads(card.read_text())["hashes"] | {name: "0" * 64})
    status, output, _ = call_here("hm-agent", "reproduce", str(card))
    assert status == FAILED
    assert f"hashes.{name} is 000000000000, and this version has " in output


def test_cards_of_a_private_draw_need_its_seed(tmp_path: Path) -> None:
    out = tmp_path / "private"
    draw = (SOON_FOUND, WORLD, READER, "--noreplay", f"--out={out}")
    assert call_here("hm-agent", "battery", *draw)[0] == 0
    path = out / "cards" / "reader" / "builtin" / "card.json"
    assert str(SEED) not in path.read_text()
    assert "say its seed with --split_seed" in call_here("hm-agent", "reproduce", str(path))[1]
    assert call_here("hm-agent", "reproduce", str(path), SOON_FOUND)[0] == 0
    assert call_here("hm-agent", "battery", *draw, "--tell_split_seed")[0] == 0
    assert str(SEED) in path.read_text()
    assert call_here("hm-agent", "reproduce", str(path))[0] == 0


def test_a_card_does_not_run_code_that_it_names(card: Path) -> None:
    change(card, agent="os:abort")
    _, output, _ = call_here("hm-agent", "reproduce", str(card))
    assert "its agent os:abort is code of somebody's own: --own_code runs it" in output


def test_a_card_of_code_that_was_changed_since_is_told_from_a_made_up_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    code = tmp_path / "first_choice.py"
    code.write_text(FIRST_CHOICE)
    draw = (SOON_FOUND, "--tell_split_seed", WORLD, "--agent=first_choice:build", "--noreplay", "--out=own")
    assert call_here("hm-agent", "battery", *draw)[0] == 0
    (path,) = tmp_path.glob("own/cards/*/builtin/card.json")
    assert call_here("hm-agent", "reproduce", str(path), "--own_code")[0] == 0
    code.write_text(f"{FIRST_CHOICE}# a comment\n")
    status, output, _ = call_here("hm-agent", "reproduce", str(path), "--own_code")
    assert status == FAILED
    assert output.endswith("all figures are the same, but first_choice:build was other code then\n")
    kept = read_card(path)
    change(path, hashes={name: digest for name, digest in asdict(kept.hashes).items() if name != "code"})
    _, output, _ = call_here("hm-agent", "reproduce", str(path), "--own_code")
    assert output.endswith("first_choice:build may have been other code then: the card does not say\n")
    assert call_here("hm-agent", "battery", *draw, "--overwrite")[0] == 0
    assert read_card(path).player != kept.player
    assert kept.hashes.code
    assert kept.hashes.code in leaderboard_of(kept)


def leaderboard_of(card: Card) -> str:
    """The Markdown table of a leaderboard of one card."""
    return page("leaderboard.md.j2", board=leaderboard([card]))


def test_a_card_says_of_how_many_episodes_and_scenarios_its_figures_are(card: Path) -> None:
    order = json.loads(card.read_text())["worlds"][0]["orders"][0]
    count = f"<td>{order['episodes']}<small>{order['items']} scenario"
    assert count in card.with_name("card.html").read_text()


def test_the_canary_stands_in_card_and_answers(card: Path) -> None:
    assert CANARY in card.read_text()
    assert CANARY in card.with_name("card.html").read_text()
    with pytest.raises(ConfigError, match="holds no answers of a battery"):
        unpack(b"", "answers")
    assert unpack((card.parent / ANSWERS).read_bytes(), "")

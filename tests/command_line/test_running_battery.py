"""`hm-agent battery`: what it plays, pays and leaves, and how it ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from hm_agent.cards.card import read_card
from hm_agent.cards.writing import card_page
from hm_agent.process.exit_status import NO_MODEL
from hm_agent.testing.endpoint import Endpoint
from tests.support.commands import call_here, overriding
from tests.support.few_pairs import SOON_FOUND, few_pairs
from tests.support.schema_player import answer


@pytest.fixture
def server() -> Iterator[Endpoint]:
    with Endpoint(answer) as endpoint:
        yield endpoint


@pytest.fixture(scope="module", autouse=True)
def few() -> Iterator[None]:
    with few_pairs():
        yield


def battery(out: Path, *flags: str) -> tuple[int, str, str]:
    return call_here("hm-agent", "battery", *overriding(f"--out={out}", "--noreplay", "--agent=reader", *flags))


TWO_WORLDS = SOON_FOUND, "--world=exploretom,enacttom"
"""The items of other worlds are slow to draw; the agent plays ExploreToM alone."""


class Played(NamedTuple):
    """A battery of the reasoner: its folder and what it said."""

    out: Path
    status: int
    output: str
    errors: str


@pytest.fixture(scope="module")
def played(few: None, tmp_path_factory: pytest.TempPathFactory) -> Played:
    out = tmp_path_factory.mktemp("played")
    return Played(out, *battery(out, *TWO_WORLDS))


def test_it_leaves_the_card_of_what_was_played(played: Played) -> None:
    out, status, output, errors = played
    assert (status, errors) == (0, "")
    assert all(f"ExploreToM, order {order}: reader with builtin, 1 episode" in output for order in (1, 2, 3))
    shown = [line.split() for line in output.splitlines() if line.strip().startswith("ExploreToM  ")]
    assert shown == [["ExploreToM", "3.0", "1", "1.00", "-", "-", "1"]]
    folder = out / "cards" / "reader" / "builtin"
    card = read_card(folder / "card.json")
    assert (card.agent, card.size, card.episodes, card.planned) == ("reader", "small", 3, 3)
    assert not (folder / "answers.jsonl.gz").exists(), "the reasoner calculates again"
    assert 'href="cards/reader/builtin/card.html">Card of reader<' in (out / "index.html").read_text("utf-8")
    assert (out / "report" / "report.html").is_file()


def test_the_same_command_again_plays_nothing(played: Played) -> None:
    before = {path: path.stat().st_mtime_ns for path in played.out.glob("*/*/*/*/result.json")}
    status, output, _ = battery(played.out, *TWO_WORLDS)
    assert status == 0
    assert "1 of 1 episodes are there already" in output
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_the_page_of_a_world_without_a_score_does_not_say_that_its_orders_are_unknown(played: Played) -> None:
    card = read_card(played.out / "cards" / "reader" / "builtin" / "card.json")
    text = card_page(replace(card, worlds=(replace(card.worlds[0], position=None),)))
    assert "None of its orders has a score, so it has no place on a ladder here." in text


def test_a_spent_budget_leaves_a_card_of_what_was_played_and_the_rest_can_be_paid(
    tmp_path: Path, server: Endpoint
) -> None:
    asked = (*TWO_WORLDS, *server.flags, "--temperature=0.5")
    status, _, errors = battery(tmp_path, *asked, "--max_calls=3")
    assert status == NO_MODEL
    assert "all 3 calls of --max_calls are made" in errors
    assert len(server.received) == 3
    card = read_card(tmp_path / "cards" / "reader" / "loopback" / "card.json")
    assert 0 < card.episodes < card.planned == 3
    assert "This card is not complete" in (tmp_path / "cards" / "reader" / "loopback" / "card.html").read_text("utf-8")
    status, output, _ = battery(tmp_path, *asked)
    assert status == 0, output
    assert read_card(tmp_path / "cards" / "reader" / "loopback" / "card.json").episodes == 3
    assert {request.body["temperature"] for request in server.received} == {0.5}


def test_a_card_of_answers_from_a_cache_says_what_its_cost_is_of(tmp_path: Path, server: Endpoint) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text("[loopback]\ninput = 1\noutput = 1\n")
    asked = (*TWO_WORLDS, *server.flags)
    kept = (f"--prices={prices}", f"--cache={tmp_path / 'answers'}")
    cards = []
    for out in (tmp_path / "paid", tmp_path / "cached"):
        status, output, _ = battery(out, *asked, *kept)
        assert status == 0, output
        folder = out / "cards" / "reader" / "loopback"
        cards.append(read_card(folder / "card.json"))
        assert "USD for all answers, also those of a cache." in (folder / "card.html").read_text("utf-8")
    assert cards[0].bill == cards[1].bill, "a card follows from its answers, wherever these came from"
    assert cards[0].bill.cost


def test_what_ended_before_any_question_has_no_card(tmp_path: Path, server: Endpoint) -> None:
    status, _, _ = battery(tmp_path, *TWO_WORLDS, *server.flags, "--max_calls=0")
    assert status == NO_MODEL
    assert not (tmp_path / "cards").exists()


@pytest.mark.parametrize(
    ("flag", "message"),
    [
        ("--scenario=rws_repeated_1", "--scenario is no flag of this command"),
        ("--size=large", "size"),
        ("--seed=3", "--seed is no flag of this command"),
        ("--world=exploretm", "did you mean exploretom?"),
        ("--tell_split_seed", "--split_seed gives no private seed"),
        ("--temperature=1", "--temperature has no effect: the model builtin calculates"),
        ("--ray_address=10.0.0.1", "--ray_address=10.0.0.1 is for --engine=ray"),
        ("--agent=raeder", "did you mean reader?"),
        ("--agent=", "no agent for the battery"),
        ("--model=gpt-4o", "OPENAI_API_KEY"),
    ],
)
def test_wrong_flags_are_refused_in_one_line(
    tmp_path: Path, flag: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    status, output, errors = battery(tmp_path / "out", flag)
    assert (status, output, errors.count("\n")) == (2, "", 1)
    assert errors.startswith("hm-agent battery: ")
    assert message in errors
    assert not (tmp_path / "out").exists()

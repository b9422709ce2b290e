"""The literal question: what is asked, and that its score is what the truth says."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean

import pytest

from hm_agent.api import play
from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import scenario_named
from hm_agent.command_line.cli import main
from hm_agent.models.builtin import BuiltinReasoner
from hm_agent.questions import AnswerT, ModelCall, Question, Unanswered, ignore
from hm_agent.reporting.minds import study_minds
from hm_agent.reporting.runs import read_runs
from hm_agent.testing.episodes import SeatLog, play_out, set_up
from hm_agent.theory_of_mind.mind_questions import AskProbes, ProbesAnswer
from hm_agent.worlds.symmtom.language.board import Board
from hm_agent.worlds.symmtom.language.literal import BITS
from hm_agent.worlds.symmtom.language.reasoner import ANSWERS
from hm_agent.worlds.symmtom.mind_facts import mind_tests
from hm_agent.worlds.symmtom.world import SymmtomWorld

(SCENARIO,) = find_scenarios(["symmtom_w6_n3_c6"])


def bits_of(question: AskProbes) -> list[tuple[str, int]]:
    """The player and the piece of each claim."""
    found = [re.findall(r"^Does (player_\d) know (\d) now\?$", claim) for claim in question.claims]
    return [(player, int(piece)) for ((player, piece),) in found]


class Witness:
    """Answers the literal question by a rule, other questions by the reasoner, and keeps what was asked and is so."""

    name = "witness"

    def __init__(self, says: Callable[[bool], bool | None]) -> None:
        self._says, self._reasoner = says, BuiltinReasoner(ANSWERS)
        self.world: SymmtomWorld | None = None
        self.asked: list[AskProbes] = []
        self.truths: list[bool] = []

    def truth(self, question: AskProbes) -> Sequence[bool]:
        assert self.world
        names, knows = self.world.settings.seats, self.world.state.knows[0]
        return [bool(knows[names.index(player), piece]) for player, piece in bits_of(question)]

    async def answer(self, question: Question[AnswerT], note: Callable[[ModelCall], None] = ignore) -> AnswerT:
        if not isinstance(question, AskProbes):
            return await self._reasoner.answer(question, note)
        found = self.truth(question)
        self.asked.append(question)
        self.truths += found
        said = [self._says(one) for one in found]
        if None in said:
            raise Unanswered("silence")
        answer = ProbesAnswer(answers=["yes" if one else "no" for one in said])
        question.check(answer)
        return answer  # type: ignore[return-value]


def played(
    agent: str, says: Callable[[bool], bool | None], literal: int = 10
) -> tuple[Witness, list[dict[str, float]]]:
    witness = Witness(says)
    world, agents = set_up(SCENARIO, agent, model=witness, literal=str(literal))
    assert isinstance(world, SymmtomWorld)
    witness.world = world
    play_out(world, agents, seed=3)
    return witness, [dict(one.metrics()) for one in agents.values()]


def mean_of(name: str, metrics: list[dict[str, float]]) -> float:
    return sum(one[name] for one in metrics) / len(metrics)


@pytest.mark.parametrize(
    ("says", "right"),
    [
        (lambda truth: truth, lambda share: 1.0),
        (lambda truth: not truth, lambda share: 0.0),
        (lambda truth: True, lambda share: share),
        (lambda truth: False, lambda share: 1 - share),
        (lambda truth: None, lambda share: 0.0),
    ],
    ids=["truth", "lies", "always yes", "always no", "silent"],
)
def test_the_score_is_what_the_truth_says(says: Callable[[bool], bool | None], right: Callable[[float], float]) -> None:
    witness, metrics = played("react", says)
    share = sum(witness.truths) / len(witness.truths)
    assert 0 < share < 1
    assert mean_of("literal_true", metrics) == pytest.approx(share)
    assert mean_of("literal_right", metrics) == pytest.approx(right(share))
    assert mean_of("literal_unanswered", metrics) == float(says(True) is None)
    assert [one["literal_asked"] for one in metrics] == [10 * BITS] * 3


def test_nothing_is_asked_that_all_know_and_nothing_twice_at_once() -> None:
    witness, _ = played("react", lambda truth: True, 29)
    for question in witness.asked:
        board, bits = question.situation, bits_of(question)
        assert isinstance(board, Board)
        assert len(set(bits)) == BITS
        assert all(piece not in (board.player(player).first_hand or ()) for player, piece in bits)
    steps = [question.situation.step for question in witness.asked if isinstance(question.situation, Board)]
    assert set(steps) == set(range(1, 30))


def test_every_agent_is_asked_the_same_bits_and_plays_on_unmoved() -> None:
    moves = []
    for agent, literal in (("react", "6"), ("react", None), ("hypothetical_minds", "6")):
        log = SeatLog("player_1")
        world, agents = set_up(SCENARIO, agent, literal=literal)
        play_out(world, agents, seed=3, recorders=[log])
        asked = [
            (step.observation.step, bit)
            for step in log.steps
            for exchange in step.decision.exchanges
            if isinstance(question := exchange.question, AskProbes)
            for bit in question.claims
        ]
        moves.append((asked, [step.decision.action for step in log.steps]))
    assert moves[0][0] == moves[2][0] != []
    assert moves[1][0] == []
    assert moves[0][1] == moves[1][1]


@pytest.mark.parametrize(("literal", "asked"), [(4, 4), (10, 6)])
def test_a_test_of_mind_asks_in_its_prelude_whenever_it_is_decided(literal: int, asked: int) -> None:
    scenario = scenario_named("symmtom_test_order_1_w6")
    assert mind_tests()[scenario.name].prelude == 6
    for seed in range(3):
        world, agents = set_up(scenario, "react", seed=seed, literal=str(literal))
        play_out(world, agents, seed=seed)
        assert agents["player_0"].metrics()["literal_asked"] == asked * BITS


def test_the_base_rate_is_what_one_answer_to_all_questions_gets(tmp_path: Path) -> None:
    """The better of always yes and always no over all episodes, not the better one of each episode."""
    runs = tmp_path / "runs"
    play("symmtom_w6_n3_c3", "react", episodes=4, out=runs, report=False, progress=False, literal="2")
    (row,) = study_minds(read_runs([runs])).rows
    true = [result.metrics["literal_true"] for result in read_runs([runs]).results]
    yes = sum(true) / len(true)
    assert min(true) < 0.5 < max(true)
    assert row.base_rate == pytest.approx(max(yes, 1 - yes))


def test_yes_to_what_was_said_in_its_hearing_is_a_base_rate_too() -> None:
    """As counted from a seat's own views; the answers are the truth."""
    witness = Witness(lambda truth: truth)
    world, agents = set_up(SCENARIO, "react", model=witness, literal="20")
    assert isinstance(world, SymmtomWorld)
    witness.world = world
    log, heard, right = SeatLog("player_1"), set[int](), list[bool]()
    play_out(world, agents, seed=3, recorders=[log])
    for step in log.steps:
        view = step.observation.view
        heard.update(one.piece for one in view.heard)
        heard.update([] if view.said is None else [view.said])
        for exchange in step.decision.exchanges:
            if isinstance(exchange.question, AskProbes) and isinstance(exchange.answer, ProbesAnswer):
                claimed = zip(bits_of(exchange.question), exchange.answer.answers, strict=True)
                right += [(piece in heard) == (said == "yes") for (_, piece), said in claimed]
    assert 0 < mean(right) < 1
    assert agents["player_1"].metrics()["literal_by_hearing"] == pytest.approx(mean(right))


def test_an_episode_that_is_cut_short_asks_at_as_many_of_its_steps(tmp_path: Path) -> None:
    """Four steps follow the first of five, and each asks every seat about some bits."""
    play("symmtom_w6_n3_c6", "react", out=tmp_path, report=False, progress=False, literal="4", max_steps=5)
    (result,) = read_runs([tmp_path]).results
    assert result.metrics["literal_asked"] > 3 * BITS


def test_the_reasoner_beats_the_base_rates() -> None:
    rates = []
    for seed in (1, 2, 3):
        world, agents = set_up(SCENARIO, "react", seed=seed, literal="20")
        play_out(world, agents, seed=seed)
        rates += [dict(one.metrics()) for one in agents.values()]
    yes = mean_of("literal_true", rates)
    assert mean_of("literal_right", rates) > max(yes, 1 - yes) + 0.1
    assert mean_of("literal_by_notes", rates) > max(yes, 1 - yes) + 0.1


@pytest.mark.parametrize("given", ["30", "often", "-1"])
def test_a_number_that_cannot_be_is_refused_in_one_line(
    given: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["--scenario=symmtom_w6_n3_c3", "--agent=react", f"--literal={given}", f"--out={tmp_path / 'out'}"]
    assert main(["hm-agent", "play", *flags]) == 2
    error = capsys.readouterr().err
    assert "0 to 29" in error
    assert error.count("\n") == 1

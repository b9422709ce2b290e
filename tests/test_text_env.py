"""Episodes played by texts from outside: equal to our own agents' episodes, and steady whatever is replied."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hm_agent
from hm_agent.catalogue.casting import build_agent
from hm_agent.catalogue.registry import suites
from hm_agent.catalogue.suite import AgentSetup
from hm_agent.config import ConfigError
from hm_agent.core import Agent, Decision, Observation, Recorder, Seat, Step
from hm_agent.experiment.planned_episode import seat_seed
from hm_agent.models.builtin import BuiltinReasoner, ReasonerTable
from hm_agent.models.chat import Chat, Reply, Request, Sampling
from hm_agent.models.settings import ModelSettings
from hm_agent.models.text_model import TextModel
from hm_agent.questions import AnswerT, ModelCall, Question, Unanswered, ignore
from hm_agent.testing.endpoint import Endpoint, completion
from hm_agent.testing.episodes import play_out
from hm_agent.text_env import TextEnv, text_env
from hm_agent.text_env.text_episode import OUTSIDE
from hm_agent.theory_of_mind.hypotheses import Parameters

GAME = "mg_rps_pure"
EPISODES: Mapping[str, tuple[str, int, Mapping[str, Any]]] = {
    "matrix_games": ("mg_pd_selfplay", 8, {}),
    "symmtom": ("symmtom_w6_n3_c3", 12, {"literal": "4"}),
    "exploretom": ("exploretom_functional_a3", 30, {}),
    "enacttom": ("enacttom_appendix_e", 30, {}),
    "melting_pot": ("rws_repeated_selfplay", 70, {}),
}
"""A scenario of each world, the most steps, and options."""


class SpokenReasoner(Chat):
    """The built-in reasoner as a language model, whose answers are texts; some first texts are no answer."""

    name = OUTSIDE

    def __init__(self, answers: ReasonerTable, seed: int) -> None:
        self._reasoner, self._model = BuiltinReasoner(answers), TextModel(OUTSIDE, self, Sampling(), None, seed)
        self._numbers, self._said = count(), ""
        self.texts: list[str] = []

    async def answer(self, question: Question[AnswerT], note: Callable[[ModelCall], None] = ignore) -> AnswerT:
        try:
            self._said = (await self._reasoner.answer(question)).model_dump_json()
        except Unanswered:
            self._said = "no idea"
        return await self._model.answer(question, note)

    async def complete(self, request: Request) -> Reply:
        is_wrong = len(request.messages) == 1 and next(self._numbers) % 2
        self.texts.append("let me think" if is_wrong else self._said)
        return Reply((self.texts[-1],))


class Seen:
    """A recorder that keeps what a step was, without the seconds that it took."""

    def __init__(self) -> None:
        self.steps: list[Any] = []

    def record(self, step: Step) -> None:
        decided = {seat: self._parts(decision) for seat, decision in step.decisions.items()}
        self.steps.append((step.turn.step, decided, dict(step.rewards), dict(step.totals)))

    def _parts(self, decision: Decision[Any]) -> Any:
        asked = [(type(one.question), one.answer, one.calls) for one in decision.exchanges]
        return repr(decision.action), [event.describe() for event in decision.events], asked

    def close(self) -> None:
        """Holds nothing open."""


def played_by_own_agents(env: TextEnv, seed: int) -> tuple[Seen, Mapping[Seat, list[str]], Mapping[Seat, float]]:
    """The episode with models inside: its steps, the texts of each seat, and the rewards."""
    table, seen = env.table, Seen()
    suite = suites()[table.scenario.world]
    world = suite.open(table.scenario, table.options)
    models = {
        seat: SpokenReasoner(suite.answers(), seat_seed(seed, place)) for place, seat in enumerate(table.scenario.seats)
    }
    agents = {}
    for place, (seat, model) in enumerate(models.items()):
        own = seat_seed(seed, place)
        setup = AgentSetup(table.scenario, world, seat, model, own, table.options, Parameters(), table.max_steps)
        agents[seat] = build_agent(table.agents[seat], setup)
    outcome = play_out(world, agents, seed=seed, steps=table.max_steps, recorders=[seen])
    return seen, {seat: model.texts for seat, model in models.items()}, outcome.rewards


def played_by_texts(
    env: TextEnv, seed: int, texts: Mapping[Seat, list[str]], recorders: list[Recorder]
) -> tuple[Mapping[Seat, float], Mapping[Seat, list[str]]]:
    """The rewards of the same episode with replies from outside, and all observations."""
    earned: dict[Seat, float] = defaultdict(float)
    shown: dict[Seat, list[str]] = defaultdict(list)
    replies = {seat: iter(said) for seat, said in texts.items()}
    observations = env.reset(seed, recorders)
    while observations:
        for seat, text in observations.items():
            shown[seat].append(text)
        observations, rewards, _, _ = env.step({seat: next(replies[seat]) for seat in observations})
        for seat, reward in rewards.items():
            earned[seat] += reward
    assert not any(list(left) for left in replies.values())
    return earned, shown


def restored(shown: list[str]) -> list[str]:
    """The whole texts of observations that leave out what was shown before."""
    whole, latest = [], dict[str, str]()
    for text in shown:
        sections = []
        for section in text.split("\n# "):
            heading, _, body = section.removeprefix("# ").partition("\n")
            latest[heading] = latest[heading] if body.strip() == "(as before)" else body.strip()
            sections.append(f"{heading}\n{latest[heading]}")
        whole.append("\n\n# ".join(sections))
    return whole


@pytest.mark.parametrize("world", EPISODES)
def test_an_episode_by_texts_is_our_own_agents_episode_to_the_bit(world: str) -> None:
    name, steps, options = EPISODES[world]
    with (
        text_env(name, max_steps=steps, **options) as env,
        text_env(name, max_steps=steps, history="new", **options) as brief,
    ):
        assert env.table.scenario.world == world
        own, texts, rewards = played_by_own_agents(env, 5)
        assert any("let me think" in said for said in texts.values())
        asked: dict[Seat, list[str]] = defaultdict(list)
        for _, decided, _, _ in own.steps:
            for seat, (_, _, exchanges) in decided.items():
                asked[seat] += [call.prompt for _, _, calls in exchanges for call in calls]
        observed = []
        for one in (env, env, brief):
            outside = Seen()
            earned, shown = played_by_texts(one, 5, texts, [outside])
            assert outside.steps == own.steps
            assert earned == pytest.approx(rewards)
            observed.append(shown)
        assert observed[:2] == [asked, asked]
        for seat, prompts in asked.items():
            assert sum(map(len, observed[2][seat])) < sum(map(len, prompts))
            assert restored(observed[2][seat]) == [prompt.removeprefix("# ") for prompt in prompts]


def test_a_reply_that_is_no_answer_costs_what_the_option_says_and_is_sent_back() -> None:
    with text_env(GAME, invalid_cost=0.5) as env:
        first = env.reset(seed=1)["player_0"]
        again = env.step({"player_0": "hello"})
        assert "no answer found" in again.observations["player_0"]
        assert (again.rewards, again.done) == ({"player_0": -0.5}, False)
        told = {"step": 0, "question": "Plan", "attempt": 2, "was_valid": False, "invalid": 1}
        assert again.infos["player_0"] == told
        for attempt in (3, 4):
            again = env.step({"player_0": '{"calls": ["play(well)"]}'})
            assert again.infos["player_0"]["attempt"] == attempt
            assert "'well' is no action; there are rock, paper, scissors" in again.observations["player_0"]
        after = env.step({"player_0": "x" * 1_000_000})
        info = after.infos["player_0"]
        assert (info["step"], info["attempt"], info["invalid"], info["was_valid"]) == (1, 1, 4, False)
        assert after.rewards["player_0"] % 1 == 0.5
        assert env.reset(seed=1)["player_0"] == first
        assert env.step({"player_0": "play(rock)"}).infos["player_0"]["invalid"] == 0


def test_a_policy_trained_to_reply_with_calls_alone_is_evaluated_alike(tmp_path: Path) -> None:
    with Endpoint(lambda body: completion("play(defect)")) as server:
        model = ModelSettings("any", base_url=server.base_url)
        (played,) = hm_agent.play("mg_pd_grim", "react", model=model, out=tmp_path, report=False, progress=False)
    with text_env("mg_pd_grim") as env:
        earned, observations = 0.0, env.reset(seed=0)
        while observations:
            observations, rewards, _, _ = env.step(dict.fromkeys(observations, "play(defect)"))
            earned += rewards["player_0"]
    assert env.latest.infos["player_0"]["invalid"] == played.unanswered_questions == 0
    assert played.model_calls == 30
    assert played.reward == earned


def test_a_seed_of_numpy_is_the_same_seed_and_no_fraction_is_one() -> None:
    with text_env(GAME) as env:
        begun = [(env.reset(seed), env.reset()) for seed in (7, np.int64(7), np.uint8(7))]  # type: ignore[arg-type]
        assert begun[0] == begun[1] == begun[2]
        with pytest.raises(TypeError):
            env.reset(7.0)  # type: ignore[arg-type]


def test_whoever_is_not_asked_is_told_so_and_the_episode_goes_on() -> None:
    env = text_env("symmtom_w6_n3_c3", max_steps=2)
    with pytest.raises(ValueError, match="no episode is being played: call reset first"):
        env.step({"player_0": "say(0)"})
    env.reset(seed=3)
    for replies, problem in (
        ({"player_7": "say(0)"}, "'player_7' is not asked: reply for one or several of player_0, player_1, player_2"),
        ({}, "no reply: reply for one or several of player_0"),
        ({"player_0": None}, "the reply of player_0 is NoneType: it has to be a text"),
    ):
        with pytest.raises(ValueError, match=problem):
            env.step(replies)  # type: ignore[arg-type] # what a client may send
    again = env.step({"player_1": "hello"})
    assert list(again.observations) == ["player_0", "player_1", "player_2"]
    assert [info["attempt"] for info in again.infos.values()] == [1, 2, 1]
    replied = env.step({"player_1": "meet(player_0)\nsay(2)"})
    assert list(replied.observations) == ["player_0", "player_2"]
    assert replied.infos["player_1"]["was_valid"]
    with pytest.raises(ValueError, match="'player_1' is not asked"):
        env.step({"player_1": "say(2)"})
    while env.latest.observations:
        env.step(dict.fromkeys(env.latest.observations, "no call"))
    assert env.latest.done
    assert env.latest.infos["player_2"]["status"] == "max_steps"
    with pytest.raises(ValueError, match="call reset first"):
        env.step({"player_0": "say(0)"})
    env.close()


def test_a_table_that_cannot_be_is_refused() -> None:
    for name, wrong, problem in (
        (GAME, {"seats": ["player_3"]}, "mg_rps_pure has no seat 'player_3': there are player_0"),
        (GAME, {"history": "all"}, "history is 'whole' or 'new', not 'all'"),
        (GAME, {"max_steps": 0}, "max_steps=0: must be a whole number, at least 1"),
        ("symmtom_test_order_0_w6", {"max_steps": 3}, "max_steps=3: in the first 3 steps of symmtom_test_order_0_w6"),
        (GAME, {"max_steps": 2.5}, "max_steps=2.5: must be a whole number, at least 1"),
        (GAME, {"invalid_cost": -1}, "invalid_cost=-1: must be a finite number, at least 0"),
        (GAME, {"invalid_cost": float("nan")}, "invalid_cost=nan: must be a finite number, at least 0"),
        (GAME, {"agent": "reader"}, "reader can't play mg_rps_pure"),
        (GAME, {"bots": "scripted"}, "Matrix games has no option 'bots': there are none$"),
        ("rws_pairs_order_1_even", {"clues": "off"}, "clues='off' has no effect: every matched pair is played alike"),
        (GAME, {"agents": "react"}, r"Matrix games has no option 'agents': did you mean agent\?$"),
        ("symmtom_w6_n3_c3", {"litral": "4"}, r"SymmToM has no option 'litral': did you mean literal\? there are "),
        ("mg_*", {}, "matches .* scenarios: name one"),
        ("mg_pd_selfplay", {"seats": ["player_0"], "others_model": "local:none.gguf"}, "none.gguf"),
        ("mg_pd_selfplay", {"seats": ["player_0"], "others_model": "outside"}, "others_model='outside' is no model"),
    ):
        with pytest.raises(ConfigError, match=problem):
            text_env(name, **wrong)


def test_an_agent_that_asks_nothing_has_no_episode_of_texts() -> None:
    with (
        text_env("mg_pd_grim", agent="bayes") as env,
        pytest.raises(ConfigError, match=r"^bayes asks nothing in this episode: name another agent, e\.g\. react$"),
    ):
        env.reset(seed=0)
    with (
        text_env("rws_repeated_1", bots="scripted", max_steps=3) as env,
        pytest.raises(ConfigError, match=r"^react asks nothing in this episode: allow more than max_steps=3, or name"),
    ):
        env.reset(seed=0)


def test_other_seats_are_played_by_the_agents_that_are_named() -> None:
    with text_env("mg_pd_selfplay", seats=["player_1"], others="copy_last", max_steps=3) as env:
        env.reset(seed=0)
        earned = [env.step({"player_1": f"play({action})"}).rewards for action in ("defect", "cooperate", "defect")]
    assert env.table.agents == {"player_0": "copy_last", "player_1": "react"}
    assert [set(rewards) for rewards in earned] == [{"player_1"}] * 3
    assert [rewards["player_1"] for rewards in earned] == [5, 0, 5]


class Broken(Agent[Any, Any]):
    async def act(self, observation: Observation[Any]) -> Decision[Any]:
        raise OSError("no such thing")


def broken(setup: AgentSetup) -> Broken:
    """An agent that fails at its first decision."""
    return Broken()


def test_an_error_in_another_seat_is_raised_and_ends_the_episode() -> None:
    with text_env("mg_pd_selfplay", seats=["player_0"], others=f"{__name__}:broken") as env:
        env.reset(seed=0)
        with pytest.raises(OSError, match="no such thing"):
            env.step({"player_0": "play(defect)"})
        with pytest.raises(ValueError, match="call reset first"):
            env.step({"player_0": "play(defect)"})


def test_questions_of_any_agent_go_outside() -> None:
    with text_env(GAME, agent="hypothetical_minds") as env:
        kinds = set()
        observations = env.reset(seed=0)
        while observations:
            observations, _, _, infos = env.step({"player_0": "rock"})
            kinds.add(infos["player_0"]["question"])
    assert {"Plan", "Propose"} <= kinds


def play_to_the_end(env: TextEnv) -> float:
    earned, observations = 0.0, env.reset(seed=2)
    while observations:
        observations, rewards, _, _ = env.step({"player_0": "play(paper)"})
        earned += rewards["player_0"]
    return earned


def test_environments_are_stepped_from_any_thread_and_from_within_a_running_loop() -> None:
    envs = [text_env(GAME) for _ in range(6)]
    earned = [play_to_the_end(envs[0])]

    async def in_a_loop() -> None:
        earned.append(play_to_the_end(envs[1]))
        observations: Mapping[Seat, str] = await envs[2].begin(seed=2)
        total = 0.0
        while observations:
            observations, rewards, _, _ = await envs[2].advance({"player_0": "play(paper)"})
            total += rewards["player_0"]
        earned.append(total)

    asyncio.run(in_a_loop())
    threads = [threading.Thread(target=lambda env=env: earned.append(play_to_the_end(env))) for env in envs[3:]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(earned) == 6
    assert len(set(earned)) == 1


def test_a_dropped_environment_is_gone_without_a_word(caplog: pytest.LogCaptureFixture) -> None:
    env = text_env(GAME)
    env.reset(seed=0)
    del env
    gc.collect()
    assert not caplog.records


def test_seeds_give_episodes_and_a_reset_without_one_goes_on_in_their_series() -> None:
    with text_env("exploretom_a1") as env, text_env("exploretom_a1") as other:
        first, second, third = (env.reset(seed) for seed in (7, None, None))
        assert len({first["reader"], second["reader"], third["reader"]}) == 3
        assert [other.reset(seed) for seed in (7, None, None)] == [first, second, third]


def test_literal_questions_can_be_asked_at_any_step_and_change_nothing() -> None:
    said = {"symmtom_w6_n3_c3": "meet(player_1)", "enacttom_appendix_e": "Wait[]", "exploretom_functional_a3": "none"}
    for name, reply in said.items():
        ends, asked = [], set()
        for asks in (True, False):
            with text_env(name, max_steps=12) as env:
                seen = Seen()
                observations = env.reset(seed=3, recorders=[seen])
                while observations:
                    if asks:
                        questions = [question for seat in env.possible_seats for question in env.ask(seat)]
                        assert all(question.answer in question.choices for question in questions)
                        asked |= {(question.words, question.answer) for question in questions}
                    observations = env.step(dict.fromkeys(observations, reply)).observations
                ends.append((seen.steps, env.latest))
        assert ends[0] == ends[1], name
        assert len(asked) > 2, name


def test_literal_questions_are_of_an_episode_and_a_seat() -> None:
    for name in ("symmtom_w6_n3_c3", "enacttom_one_window", "exploretom_functional_a3", GAME):
        with text_env(name) as env:
            with pytest.raises(ValueError, match="call reset first"):
                env.ask(env.possible_seats[0])
            env.reset(seed=0)
            with pytest.raises(ValueError, match=f"no seat 'nobody': ask one of {env.possible_seats[0]}"):
                env.ask("nobody")


def test_literal_questions_are_also_about_agents_without_a_seat() -> None:
    for name in ("symmtom_pairs_order_1_odd", "symmtom_mixed_motley_odd"):
        with text_env(name) as env:
            env.reset(seed=3)
            words = " ".join(question.words for question in env.ask(env.possible_seats[-1]))
            assert "player_3" in words, name
            assert "player_0" not in words, name


def test_right_answers_of_literal_questions_follow_the_world() -> None:
    with text_env("symmtom_w6_n3_c3") as env:
        observations, answers = env.reset(seed=3), dict[str, set[str]]()
        while observations:
            for question in env.ask("player_0"):
                answers.setdefault(question.words, set()).add(question.answer)
            partner = {seat: "player_0" if seat == "player_1" else "player_1" for seat in observations}
            observations = env.step({seat: f"meet({other})" for seat, other in partner.items()}).observations
    assert {"yes", "no"} in answers.values()
    assert all("player_0" not in words for words in answers)
    with text_env(GAME) as env:
        env.reset(seed=0)
        assert list(env.ask("player_0")) == []


def test_the_pages_example_plays_an_episode(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[1] / "docs" / "training.md").read_text("utf-8")
    exec(page.partition("```python\n")[2].partition("```")[0], {})
    assert "reward_per_agent" in capsys.readouterr().out

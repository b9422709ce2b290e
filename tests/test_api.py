"""`import hm_agent`: what it offers, on a world from a package of its own."""

from __future__ import annotations

import asyncio
import sys
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import pytest

import hm_agent
from hm_agent.catalogue.finding import find_agents, find_scenarios
from hm_agent.extensions import ADDED
from hm_agent.recording.replay import recorder

TOY = Path(__file__).parent / "toy_world"
SAYS_RED = """
import hm_agent

class SaysRed(hm_agent.Agent):
    usage = hm_agent.Usage()
    async def act(self, observation):
        return hm_agent.Decision("red")
    def metrics(self):
        return {"said": 1.0}

def build(setup):
    "says red, whatever the card"
    return SaysRed()

class Counter(hm_agent.Recorder):
    def __init__(self, episode):
        self.path, self.steps = episode.folder / "steps.txt", 0
    def record(self, step):
        self.steps += 1
    def close(self):
        self.path.write_text(str(self.steps))

nothing = 3
"""


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The toy world is registered, and a module `reds` of a user's lies in the working folder."""
    for kind in ("agents", "models", "worlds", "folders"):
        monkeypatch.setattr(ADDED, kind, {})
    (tmp_path / "reds.py").write_text(SAYS_RED)
    (tmp_path / "unclosed.py").write_text("\ndef build(setup:\n")
    (tmp_path / "raising.py").write_text("import hm_agent\n\nbuild = 1 / 0\n")
    (tmp_path / "exiting.py").write_text("import sys\n\nsys.exit(0)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(TOY.parents[1]))  # of the process that workers come from
    monkeypatch.syspath_prepend(str(TOY))
    monkeypatch.syspath_prepend(str(tmp_path))
    hm_agent.register_world("card_talk", "card_talk:SUITE")


nothing: Any = len


def play(**more: Any) -> hm_agent.Results:
    return hm_agent.play("card_talk", **{"progress": False, "report": False, **more})


def test_every_public_name_is_there() -> None:
    for name in hm_agent.__all__:
        assert getattr(hm_agent, name) is not None
    assert {*hm_agent.__all__} <= {*dir(hm_agent)}
    assert hm_agent.__version__
    with pytest.raises(AttributeError, match="no attribute 'paly'"):
        _ = hm_agent.paly


def test_a_registered_world_is_played_and_read_as_frames(capsys: pytest.CaptureFixture[str]) -> None:
    results = play(episodes=2, report=True)
    frame = hm_agent.load("runs")
    assert frame.equals(results.frame())
    assert frame["value"].tolist() == [1.0, 1.0] == [result.metrics["share_right"] for result in results]
    assert frame["settings.seed"].tolist() == [0, 0]
    lines = hm_agent.load_trace(frame["folder"][0])
    assert lines[lines["action"].notna()]["seat"].tolist() == ["sender", "receiver"] * 10
    assert "state.heard" in lines.columns
    assert hm_agent.load_trace(results.episodes[0].folder / "trace.jsonl").equals(lines)
    assert Path("runs/index.html").is_file()
    assert repr(results) == "<Results: 2 episodes in runs; show() prints them, frame() is a DataFrame>"
    assert repr(results[1]).startswith("<Result: card_talk hypothetical_minds #1: completed, 20 steps, reward ")
    assert {episode.agent for episode in results.episodes} == {"hypothetical_minds"}
    results.show()
    assert "hypothetical_minds" in capsys.readouterr().out


def test_agents_named_by_their_place_play_in_workers_with_recorders() -> None:
    reds: Any = import_module("reds")
    played = play(agent="reds:build", workers=2, episodes=2, recorders=[reds.Counter])
    assert [result.agent for result in played] == ["reds:build"] * 2
    assert [result.metrics["said"] for result in played] == [1.0, 1.0]
    assert all(float(result.metrics["share_right"]) < 1 for result in played)
    assert [path.read_text() for path in Path("runs").rglob("steps.txt")] == ["20", "20"]


def test_what_is_registered_in_a_notebook_plays_in_workers() -> None:
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(SAYS_RED, space)  # functions of no module, as a notebook's are
    hm_agent.register_agent("red", space["build"])
    played = play(agent="red", workers=2, episodes=2, recorders=[space["Counter"]])
    assert [result.status for result in played] == ["completed"] * 2
    assert len(list(Path("runs").rglob("steps.txt"))) == 2


def test_plays_inside_a_running_event_loop_with_a_cache_of_answers() -> None:
    class SaysRed(hm_agent.Chat):
        async def complete(self, request: hm_agent.Request) -> hm_agent.Reply:
            return hm_agent.Reply(('{"colour": "red", "behaviour": "honest", "hypothesis": "x"}',))

    async def cell() -> hm_agent.Results:
        hm_agent.register_model("red", lambda seed: SaysRed())
        settings = hm_agent.ModelSettings("red", cache="answers.sqlite")  # type: ignore[arg-type]
        return play(model=settings, episodes=3)

    results = asyncio.run(cell())
    assert [result.status for result in results] == ["completed"] * 3
    assert [result.unanswered_questions for result in results] == [0, 0, 0]
    assert results[2].cached_calls > 0
    assert results[0].model_calls > results[0].cached_calls


def test_a_strategist_of_ones_own_decides() -> None:
    class Distrust(hm_agent.BaseStrategist[Any]):
        async def _decide(self) -> Any:
            return self._mind.best_response({"sender": "lies"})

    hm_agent.register_world("card_talk", type("Any", (type(hm_agent_suite()),), {"plays": lambda *_: True})())
    hm_agent.register_strategist("distrust", lambda mind, model, parameters: Distrust(mind, model))
    assert play(seats=["react", "distrust"])[0].metrics["share_right"] == 0.0


def hm_agent_suite() -> hm_agent.Suite:
    suite: hm_agent.Suite = import_module("card_talk").SUITE
    return suite


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"agent": "reds:nobody"}, "reds:nobody can't be loaded.*nobody"),
        ({"agent": "no_module:build"}, "can't be loaded: No module named 'no_module' in /.*: run the command in"),
        ({"agent": "unclosed:build"}, r"unclosed:build can't be loaded: SyntaxError: .*\(unclosed.py, line 2\)"),
        ({"agent": "raising:build"}, r"can't be loaded: \S+/raising.py, line 3: ZeroDivisionError: division by zero$"),
        ({"agent": "exiting:build"}, r"can't be loaded: \S+/exiting.py, line 3: SystemExit: 0$"),
        ({"agent": "reds:nothing"}, "agent reds:nothing is int: it has to be a function"),
        ({"agent": "oracle"}, "oracle can't play card_talk"),
        ({"agent": []}, "no agent for card_talk"),
        ({"agent": None}, "None: must be a name, or several"),
        ({"agent": [3]}, r"\[3\]: must be a name, or several"),
        ({"out": None}, "out=None: must be the path of a folder"),
        ({"episodes": 0}, "episodes=0: must be at least 1"),
        ({"episodes": 1.5}, "episodes=1.5: must be an int"),
        ({"episodes": True}, "episodes=True: must be an int"),
        ({"workers": "2"}, "workers='2': must be an int"),
        ({"max_steps": 2.5}, "max_steps=2.5: must be an int"),
        ({"seed": 3.0}, "seed=3.0: must be an int"),
        ({"seed": np.int64(3)}, r"seed=.*3.*: must be an int"),
        ({"record_gif": (1, 5)}, r"record_gif=\(1, 5\): must be a range of steps"),
        ({"record_gif": range(119, 40)}, r"record_gif=range\(119, 40\): must be a range of steps, at most 1000"),
        ({"record_gif": range(1001)}, r"record_gif=range\(0, 1001\): must be a range of steps, at most 1000"),
        ({"record_gif": range(-1, 5)}, r"record_gif=range\(-1, 5\): must be a range of steps"),
        ({"record_gif": range(40, 120), "max_steps": 40}, "--record_gif=40-119: --max_steps=40 cuts episodes before"),
        ({"engine": "cloud"}, "engine='cloud': must be local or ray"),
        ({"bots": "scripted"}, "no option 'bots'.*: there are none$"),
        ({"agents": "react"}, "no option 'agents' in these scenarios' worlds: did you mean agent[?]$"),
        ({"base_url": "x"}, r"base_url: say model=hm_agent.ModelSettings\(name, base_url=\.\.\.\)$"),
        ({"temperature": 1.0}, r"ModelSettings\(name, sampling=hm_agent.Sampling\(temperature=\.\.\.\)\)$"),
        ({"threshold": 0.5}, r"threshold: say parameters=hm_agent.Parameters\(threshold=\.\.\.\)$"),
        ({"report": "here"}, "report='here': must be True or False"),
        ({"model": 3}, "model=3: must be a model's name, or ModelSettings"),
        ({"model": " "}, "model=' ': must be a model's name"),
        ({"model": "python:reds:nothing"}, "no function build"),
        ({"recorders": 3}, "recorders=3: must be a list of functions or classes"),
        ({"workers": 2, "recorders": [Lock().acquire]}, "can't be sent to workers"),
    ],
)
def test_what_cannot_be_played_is_said_before_anything_is_played(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(hm_agent.ConfigError, match=message):
        play(**wrong)
    assert not Path("runs").exists()


def test_no_scenario_is_refused_too() -> None:
    with pytest.raises(hm_agent.ConfigError, match="no scenario: name one or several"):
        hm_agent.play([])


@pytest.mark.parametrize(
    ("register", "message"),
    [
        (lambda: hm_agent.register_agent("react", nothing), "'react' is there already"),
        (lambda: hm_agent.register_agent("random", nothing), "'random' is there already"),
        (lambda: hm_agent.register_agent("a,b", nothing), "'a,b' is no valid name"),
        (lambda: hm_agent.register_model("builtin", nothing), "'builtin' is there already"),
        (lambda: hm_agent.register_world("melting_pot", hm_agent_suite()), "'melting_pot' is there already"),
        (lambda: hm_agent.register_world("cards", hm_agent_suite()), "needs a Suite of that name"),
        (lambda: hm_agent.ModelSettings(None), "name=None: must be a model's name"),  # type: ignore[arg-type]
        (
            lambda: hm_agent.ModelSettings(sampling={"temperature": 1}),  # type: ignore[arg-type]
            "sampling={'temperature': 1}: must be Sampling",
        ),
        (lambda: hm_agent.ModelSettings(cache=3), "cache=3: must be the path of a file"),  # type: ignore[arg-type]
        (lambda: hm_agent.ModelSettings(header="X: secret"), "^header: must be a tuple of texts, each like X-Title:"),  # type: ignore[arg-type]
        (lambda: hm_agent.load(None), "out=None: must be the path of a folder"),  # type: ignore[arg-type]
        (lambda: hm_agent.load([3]), "out=3: must be the path of a folder"),  # type: ignore[list-item]
        (lambda: hm_agent.load_trace(None), "path=None: must be the path of a trace"),  # type: ignore[arg-type]
        (lambda: hm_agent.load("nowhere"), "nowhere: no such folder"),
        (lambda: hm_agent.load("reds.py"), "reds.py: a file; name a folder"),
        (lambda: hm_agent.load_trace("nowhere"), "nowhere: no such trace"),
        (lambda: hm_agent.load_trace("reds.py"), "reds.py: no trace: no line of it is a step of an episode"),
    ],
)
def test_what_makes_no_sense_is_refused(register: Any, message: str) -> None:
    with pytest.raises(hm_agent.ConfigError, match=message):
        register()


def test_a_failed_episode_is_among_the_results_and_warned_of() -> None:
    def build(setup: hm_agent.AgentSetup) -> Any:
        raise RuntimeError("no batteries")

    hm_agent.register_agent("empty", build)
    with pytest.warns(RuntimeWarning, match="1 of 1 episodes did not end well.*no batteries"):
        results = play(agent="empty")
    assert results[0].has_failed


def test_an_agent_that_exits_while_it_is_built_fails_its_episode_alone() -> None:
    def build(setup: hm_agent.AgentSetup) -> Any:
        sys.exit("no batteries")

    hm_agent.register_agent("exiting", build)
    with pytest.warns(RuntimeWarning, match="1 of 2 episodes did not end well.*no batteries"):
        results = play(agent=["exiting", "reds:build"])
    assert [result.status for result in results] == ["failed: SystemExit: no batteries", "completed"]


def test_a_recorder_that_can_not_be_closed_hides_no_error_of_an_agent_that_can_not_be_built() -> None:
    class Unclosable(hm_agent.Recorder):
        def __init__(self, episode: hm_agent.Episode) -> None:
            assert episode.number == 0

        def record(self, step: hm_agent.Step) -> None: ...

        def close(self) -> None:
            raise ValueError("it is closed already")

    def build(setup: hm_agent.AgentSetup) -> Any:
        raise KeyError("red")

    hm_agent.register_agent("unbuilt", build)
    with pytest.warns(RuntimeWarning, match="did not end well"):
        (result,) = play(agent="unbuilt", recorders=[Unclosable])
    assert result.status == "failed: KeyError: 'red'"


def test_cancellations_of_an_agents_own_fail_its_episode_alone() -> None:
    class Cancels(hm_agent.Agent[Any, str]):
        async def act(self, observation: hm_agent.Observation[Any]) -> hm_agent.Decision[str]:
            raise asyncio.CancelledError

    def build(setup: hm_agent.AgentSetup) -> Any:
        raise asyncio.CancelledError

    hm_agent.register_agent("cancels", lambda setup: Cancels())
    hm_agent.register_agent("cancelled", build)
    with pytest.warns(RuntimeWarning, match="2 of 3 episodes did not end well"):
        results = play(agent=["cancels", "cancelled", "reds:build"])
    assert [result.outcome for result in results] == ["failed", "failed", "finished"]


def test_a_warning_of_unanswered_questions_names_the_files_that_hold_them() -> None:
    class Mumbles(hm_agent.Chat):
        async def complete(self, request: hm_agent.Request) -> hm_agent.Reply:
            return hm_agent.Reply(("well",))

    hm_agent.register_model("mumbles", lambda seed: Mumbles())
    with pytest.warns(RuntimeWarning, match="1 of 1 .* no_result: .* unanswered; see their traces or replays"):
        assert not play(model="mumbles")[0].reason


class Lost(hm_agent.Agent[Any, str]):
    """Fails, or has metrics that can't be recorded."""

    def __init__(self, error: Exception | None = None, metrics: Any = None) -> None:
        self._error, self._metrics = error, metrics

    async def act(self, observation: hm_agent.Observation[Any]) -> hm_agent.Decision[str]:
        if self._error is not None:
            raise self._error
        return hm_agent.Decision("red")

    def metrics(self) -> Any:
        return super().metrics() if self._metrics is None else self._metrics


def played(agent: Any) -> hm_agent.Result:
    hm_agent.register_agent("lost", lambda setup: agent)
    with pytest.warns(RuntimeWarning, match="1 of 1 episodes did not end well"):
        return play(agent="lost")[0]


@pytest.mark.parametrize(
    ("metrics", "named"),
    [
        ({"good": 1, "x": float("nan")}, "'x' is nan"),
        ({"large": 1e16}, "'large' is 1e+16"),
        ({"y": "abc"}, "'y' is 'abc'"),
        ({"share_right": 1.0}, "'share_right' is one of the world's"),
        (3, "AttributeError"),
    ],
)
def test_a_metric_that_can_not_be_recorded_fails_the_episode_and_keeps_its_steps(metrics: Any, named: str) -> None:
    result = played(Lost(metrics=metrics))
    assert result.status.startswith("failed: ")
    assert named in result.status
    assert result.steps > 0


def test_a_result_that_no_reader_would_take_is_a_failure() -> None:
    """It would be left out of reports, and be played and paid for again."""

    class Spender(Lost):
        usage = hm_agent.Usage(input_tokens=1.5)  # type: ignore[arg-type]

    assert played(Spender()).status.startswith(
        "failed: ValueError: the result can't be recorded: seats.0.input_tokens: "
    )
    assert len(hm_agent.load("runs")) == 1


def test_an_error_of_an_agent_is_not_hidden_by_its_metrics() -> None:
    assert played(Lost(ZeroDivisionError("by zero"), metrics=3)).status == "failed: ZeroDivisionError: by zero"


def test_an_agent_that_lost_a_connection_ends_its_own_episode_alone() -> None:
    hm_agent.register_agent("lost", lambda setup: Lost(ConnectionResetError("it hung up")))
    with pytest.warns(RuntimeWarning, match="1 of 2 episodes did not end well"):
        results = play(agent=["lost", "reds:build"])
    assert [each.status for each in results] == ["failed: ConnectionResetError: it hung up", "completed"]


def test_what_an_agent_lacks_is_named() -> None:
    assert "the agent lost has no act and no usage and no metrics" in played(object()).status


def test_an_error_in_drawing_the_page_costs_the_page_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> str:
        raise RuntimeError("the viewer is broken")

    monkeypatch.setattr(recorder, "replay_page", fail)
    (episode,) = play(agent="reds:build")
    assert (episode.status, episode.steps > 0) == ("completed", True)
    assert episode.reason == "no replay page: RuntimeError: the viewer is broken"


def test_an_episode_that_failed_earlier_is_warned_of_again(tmp_path: Path) -> None:
    hm_agent.register_agent("lost", lambda setup: Lost(ValueError("no")))
    for _ in range(2):
        with pytest.warns(RuntimeWarning, match="1 of 2 episodes did not end well; the first: failed: ValueError: no"):
            play(agent=["lost", "reds:build"], out=tmp_path / "again")


def test_names_may_stand_in_one_text_as_on_the_command_line() -> None:
    played = hm_agent.play("card_talk, mg_pd_grim", agent="react,reflexion", max_steps=2, progress=False, report=False)
    known = {(episode.result.world, episode.agent) for episode in played.episodes}
    assert known == {(world, agent) for world in ("card_talk", "matrix_games") for agent in ("react", "reflexion")}


def test_registered_names_are_found_by_globs_and_again() -> None:
    hm_agent.register_agent("mine", nothing)
    hm_agent.register_agent("mine", nothing)
    assert "mine" in find_agents(("*",), find_scenarios(["card_talk"]))

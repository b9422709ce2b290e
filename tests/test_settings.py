"""That settings, their flags and the keywords of `play` are the same, and what none of them takes."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

import hm_agent
from hm_agent.catalogue.finding import find_scenarios
from hm_agent.command_line import flags, requested
from hm_agent.command_line.cli import main
from hm_agent.experiment import Experiment
from hm_agent.flags.fields import FlagField, check_fields, flag_fields
from hm_agent.models.chat import Sampling
from hm_agent.models.settings import BUILTIN, ModelSettings
from hm_agent.reporting.drawing import FigureFiles
from hm_agent.reporting.request import ReportRequest
from hm_agent.theory_of_mind.hypotheses import Parameters

SIZE = "symmtom_w6_n3_c3"
SETTINGS: tuple[Any, ...] = (Experiment, Parameters, ModelSettings, Sampling, FigureFiles, ReportRequest)
SINGULAR = {"scenarios": "scenario", "agents": "agent"}
"""The fields of an experiment that are called otherwise in `play`."""
WIDER = {"scenarios", "agents", "seats", "seat_models", "model", "out", "recorders"}
"""The fields for which `play` takes other types, too, e.g. one name for several."""
OTHERS: Mapping[type, Mapping[str, tuple[str, object]]] = {
    Experiment: {
        "agent": ("random,k_filter", ("random", "k_filter")),
        "seats": ("random,,k_filter,", ("random", "k_filter")),
        "seat_models": ("builtin,m", ("builtin", "m")),
        "episodes": ("1e3", 1000),
        "seed": ("-7", -7),
        "record_video": ("true", True),
        "record_gif": ("0-4", range(5)),
        "replay": ("false", False),
        "max_steps": ("3", 3),
        "overwrite": ("true", True),
        "retry_failed": ("true", True),
        "workers": ("2", 2),
        "concurrency": ("4", 4),
        "grace": ("60", 60.0),
        "engine": ("ray", "ray"),
        "ray_address": ("10.0.0.1:6379", "10.0.0.1:6379"),
        "recorder": ("hm_agent.core:Recorder", (hm_agent.Recorder,)),
    },
    Parameters: {
        "learning_rate": ("0.5", 0.5),
        "intrinsic_reward": ("2", 2.0),
        "threshold": ("-1", -1.0),
        "top_k": ("3", 3),
        "counterfactual_reward": ("4", 4.0),
        "reward_threshold": ("5", 5.0),
    },
    ModelSettings: {
        "base_url": ("http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1"),
        "api_key_env": ("KEY", "KEY"),
        "page": ("true", True),
        "timeout": ("1.5", 1.5),
        "retries": ("0", 0),
        "patience": ("0", 0.0),
        "cache": ("answers.sqlite", Path("answers.sqlite")),
        "offline": ("true", True),
        "max_calls": ("9", 9),
        "max_cost": ("0.5", 0.5),
        "prices": ("prices.toml", Path("prices.toml")),
        "header": ("X-Title: mine,X-Team:b", ("X-Title: mine", "X-Team:b")),
        "rates": ("batch", "batch"),
    },
    Sampling: {
        "temperature": ("0.5", 0.5),
        "top_p": ("0.9", 0.9),
        "max_output_tokens": ("100", 100),
        "completions": ("2", 2),
        "reasoning_effort": ("low", "low"),
        "extra_body": ('{"top_k":20}', '{"top_k": 20}'),
    },
    FigureFiles: {"figure_format": ("pdf", "pdf"), "figure_style": ("column", "column")},
    ReportRequest: {"count_unanswered": ("true", True)},
}
"""For each flag of settings: a value as it is typed, and what it is read as."""


def parsed(*arguments: str) -> Experiment:
    flags.parse(("", f"--scenario={SIZE}", *arguments))
    return requested.experiment()


def held(by: type, said: Experiment) -> Any:
    """The settings of a type that the flags describe."""
    if by in (FigureFiles, ReportRequest):
        request = requested.report_request(after_playing=False)
        return request.figures if by is FigureFiles else request
    return {Experiment: said, Parameters: said.parameters, ModelSettings: said.model, Sampling: said.model.sampling}[by]


def test_play_takes_each_setting_of_an_experiment_in_its_type_with_its_default() -> None:
    taken, own = inspect.signature(hm_agent.play).parameters, Experiment(())
    asked = [each for each in fields(Experiment) if each.name != "made"]
    for each in asked:
        keyword = SINGULAR.get(each.name, each.name)
        assert keyword in taken, f"play has no keyword {keyword}"
        if each.name not in WIDER | {"options"}:
            assert taken[keyword].annotation == each.type, keyword
        if each.name not in ("scenarios", "model", "options"):
            assert taken[keyword].default == getattr(own, each.name), keyword
    assert taken["model"].default == own.model.name == BUILTIN
    more = {"report", "progress"}
    assert {*taken} == {SINGULAR.get(each.name, each.name) for each in asked} | more


def test_without_flags_the_settings_have_their_defaults() -> None:
    said = parsed()
    assert said == Experiment(find_scenarios([SIZE]), options=said.options, made=said.made)
    assert (said.model, said.parameters) == (ModelSettings(), Parameters())
    request = requested.report_request(after_playing=False)
    assert (request.folders, request.figures, request.counts_unanswered) == ((Experiment.out,), FigureFiles(), False)


@pytest.mark.parametrize("by", SETTINGS)
def test_a_flag_sets_its_own_field_alone(by: type) -> None:
    assert {each.flag for each in flag_fields(by)} == OTHERS[by].keys()
    own = ["--model=m", *(["--agent=hypothetical_minds,he_hr"] if by is Parameters else [])]  # which use them all
    before = held(by, parsed(*own))
    when = {"made": before.made} if by is Experiment else {}
    for each in flag_fields(by):
        typed, value = OTHERS[by][each.flag]
        after = held(by, parsed(*own, f"--{each.flag}={typed}"))
        assert getattr(after, each.name) == value != each.default, each.flag
        assert replace(after, **{each.name: getattr(before, each.name)}, **when) == before, each.flag


def test_flags_and_python_refuse_the_same_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    bounded = [(by, each) for by in SETTINGS for each in flag_fields(by) if each.kind in (int, float)]
    assert len(bounded) > 15
    for by, each in bounded:
        for wrong in out_of_bounds(each):
            assert main(["hm-agent", "play", f"--{each.flag}={wrong}"]) == 2
            assert f"--{each.flag}={wrong}" in capsys.readouterr().err
            given: Any = {"scenarios": ()} if by is Experiment else {}
            with pytest.raises(hm_agent.ConfigError, match=f"^{each.name}={wrong}: must be "):
                check_fields(by(**given, **{each.name: wrong}))


def out_of_bounds(each: FlagField) -> list[float]:
    below = [] if each.lower is None else [each.lower - 1]
    above = [] if each.upper is None else [each.upper + 1]
    return [*below, *above, *([float("nan")] if each.kind is float else [])]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"agent": "react", "parameters": Parameters(top_k=3)}, "top_k=3 has no effect: it changes nothing that"),
        ({"agent": "heuristic", "literal": "5"}, "literal='5' has no effect: it is for language agents"),
        ({"agent": ["heuristic", "react"], "checkpoint": "ippo.npz"}, "checkpoint='ippo.npz' has no effect: it is for"),
        ({"ray_address": "10.0.0.1:6379"}, "--ray_address=10.0.0.1:6379 is for --engine=ray"),
        ({"overwrite": "no"}, "overwrite='no': must be True or False"),
        ({"parameters": Parameters(learning_rate=2)}, "learning_rate=2: must be at most 1"),
        ({"parameters": None}, "parameters=None: must be Parameters"),
        ({"parameters": Parameters(top_k=True)}, "top_k=True: must be an int"),
        ({"model": ModelSettings("m", retries=2.5)}, r"retries=2.5: must be an int"),  # type: ignore[arg-type]
        ({"model": ModelSettings("m", sampling=Sampling(top_p=1.5))}, "top_p=1.5: must be at most 1"),
    ],
)
def test_play_refuses_what_the_command_line_refuses(
    wrong: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(hm_agent.ConfigError, match=message):
        hm_agent.play(SIZE, progress=False, **wrong)
    assert not list(tmp_path.iterdir())


def test_an_agent_of_which_it_is_unknown_may_use_any_hyperparameter() -> None:
    names = [each.name for each in fields(Parameters)]
    theirs = Experiment(find_scenarios([SIZE]), ("tests.test_text_env:broken", "react"))
    assert theirs.unused_parameters(names) == {}
    assert replace(theirs, agents=("react", "oracle")).unused_parameters(names).keys() == set(names)

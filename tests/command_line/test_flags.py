"""What the command line refuses, suggests and completes, within this process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hm_agent.cards.battery import Battery
from hm_agent.catalogue.suite import FULL, SMALL
from hm_agent.command_line import flags, requested
from hm_agent.command_line.cli import main
from hm_agent.command_line.commands import COMMANDS

SCENARIO, SIZE = "--scenario=rws_repeated_1", "--scenario=symmtom_w6_n3_c3"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    return tmp_path


def test_large_numbers_may_be_written_with_an_exponent() -> None:
    flags.parse(("play", "--episodes=1.5e6", "--max_steps=1e9", "--seed=1e30"))
    assert [flags.FLAGS[name].value for name in ("episodes", "max_steps", "seed")] == [1_500_000, 10**9, 10**30]


def test_a_battery_is_of_the_size_and_the_worlds_that_are_named() -> None:
    flags.parse(("hm-agent battery", "--size=full", "--world=symmtom,exploretom,symmtom"))
    assert requested.battery()[0] == Battery(FULL, worlds=("exploretom", "symmtom"))
    flags.parse(("hm-agent battery",))
    assert requested.battery()[0] == Battery(SMALL)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--scenario=rws_repeatd_1"], "unknown scenario 'rws_repeatd_1': did you mean rws_repeated_1?"),
        (
            ["--scenario=running_with_scissors"],
            "unknown scenario 'running_with_scissors': did you mean 'running_with_scissors*', e.g. rws_",
        ),
        ([SCENARIO, "--agent=hypotetical_minds"], "did you mean hypothetical_minds?"),
        ([SCENARIO, "--model=bultin"], "did you mean builtin?"),
        ([SCENARIO, "--epsiodes=3"], "Did you mean: episodes"),
        ([SCENARIO, "--prices=/nope.toml"], "--prices has no effect: the model builtin calculates"),
        ([SCENARIO, "--offline"], "--offline has no effect"),
        ([SCENARIO, "--temperature=0.5"], "--temperature has no effect"),
        (
            [SCENARIO, "--model=local:smollm2", "--base_url=http://x/v1"],
            "--base_url has no effect: the model local:smoll",
        ),
        (["--scenario=symmtom_w6_n3_c3", "--bots=scripted"], "--bots has no effect: it belongs to Melting Pot"),
        (["--scenario=rws_arena_selfplay", "--agent=react", "--seats=react"], "--agent has no effect"),
        (["--scenario=exploretom_a1", "--agent=reader", "--record_video"], "--record_video has no effect"),
        (["--scenario=exploretom_a1", "--agent=reader", "--record_gif=0-1"], "--record_gif has no effect"),
        (["--scenario=exploretom_a1", "--dataset=items.jsonl"], "--dataset has no effect: it is for the scenario"),
        (["--scenario=exploretom_a1", "--telling=infilled"], "--telling has no effect: it is for the scenario"),
        (["--scenario=exploretom_dataset", "--cast=cast.toml"], "--cast has no effect: the stories of exploretom_data"),
        ([SIZE, "--agent=heuristic,react", "--checkpoint=ippo.npz"], "and not for heuristic and react"),
        ([SIZE, "--agent=ippo", "--checkpoint=best_response"], "--checkpoint=best_response: there is no such file"),
        ([SIZE, "--agent=heuristic,ippo", "--literal=5"], "--literal has no effect: it is for language agents"),
        ([SCENARIO, "--agent=react", "--top_k=3"], "--top_k has no effect: it changes nothing that react does"),
        ([SIZE, "--agent=react,ceiling", "--threshold=1"], "--threshold has no effect: it changes nothing that k"),
        (["--scenario=exploretom_a1", "--agent=hm_odds", "--learning_rate=1"], "--learning_rate has no effect"),
        ([SCENARIO, "--counterfactual_reward=2"], "--counterfactual_reward has no effect"),
        (["--report_only", "--episodes=3"], "--episodes has no effect: --report_only plays nothing"),
        (["--scenario=,"], "no scenario"),
        ([], "no scenario"),
        (["rws_repeated_1"], "unexpected argument 'rws_repeated_1'"),
        ([SCENARIO, "--model="], "--model"),
        ([SCENARIO, "--model=gpt-0", "--api_key_env=NONE_SUCH"], "gpt-0 needs a key"),
        ([SCENARIO, "--bots=mine"], "--bots=mine"),
        ([SCENARIO, "--bots_dir=nowhere"], "nowhere: no such folder"),
        ([SCENARIO, "--bots=trained", "--bots_dir=."], "no trained bot"),
        ([SCENARIO, "--out=a,b"], "--out=a,b: only --report_only takes more than one folder"),
        ([SCENARIO, "--engine=cloud"], "--engine=cloud"),
        ([SCENARIO, "--ray_address=10.0.0.1:6379"], "--ray_address=10.0.0.1:6379 is for --engine=ray"),
        ([SCENARIO, "--agent=,"], "no agent for rws_repeated_1"),
        (
            ["--scenario=rws_repeated_1,rws_repeated_selfplay", "--agent=", "--seats=react"],
            "no agent for rws_repeated_1",
        ),
        ([SCENARIO, "--agent=no_such_module:build"], "no_such_module:build can't be loaded"),
        ([SCENARIO, "--agent=os:getcwd"], "agent os:getcwd can't be called as build(setup): too many positional"),
        ([SCENARIO, "--recorder=os:getcwd"], "recorder getcwd can't be called as build(episode): too many positional"),
        ([SCENARIO, "--model=python:os:getcwd"], "--model=python:os:getcwd can't be called as build(seed): too many"),
        ([SCENARIO, "--model=m", "--base_url=http://127.0.0.1:9/v1", "--prices=/dev/null/x"], "--prices=/dev/null/x: "),
        ([SCENARIO, "--model=python:os:fspath", "--prices=/dev/null/x"], "--prices=/dev/null/x: "),
        ([SCENARIO, "--recorder=os:sep"], "recorder / can't be called as build(episode)"),
        ([SCENARIO, "--recorder=hm_agent.core:Nothing"], "hm_agent.core:Nothing can't be loaded"),
        ([SCENARIO, "--record_gif=200-300", "--max_steps=200"], "--max_steps=200 cuts episodes before these steps"),
        ([SCENARIO, "--scenario=pd_repeated_1"], "--scenario is given 2 times: say it once, its values"),
        ([SCENARIO, "--seed", "1", "--seed=2"], "--seed is given 2 times: say it once\n"),
        ([SCENARIO, "--overwrite", "--nooverwrite"], "--overwrite is given 2 times: say it once\n"),
        ([SCENARIO, "--episodes=1.5"], "flag --episodes=1.5: must be an integer, e.g. 20 or 1e6"),
        ([SCENARIO, "--episodes=1.25e1"], "flag --episodes=1.25e1: must be an integer, e.g. 20 or 1e6"),
        ([SCENARIO, "--max_steps=nan"], "flag --max_steps=nan: must be an integer, e.g. 20 or 1e6"),
        ([SCENARIO, "--seed=inf"], "flag --seed=inf: must be an integer"),
        ([SCENARIO, "--report=/dev/null/here"], "--report=/dev/null/here: /dev/null is a file; name a folder"),
        ([SCENARIO, "--bots=scripted", "--bots_dir=."], "--bots_dir=. has no effect: --bots=scripted plays without"),
        ([SCENARIO, "--episodes=1e300"], "flag --episodes=1e300: must be an integer, e.g. 20 or 1e6"),
        ([SCENARIO, "--episodes=0e5"], "flag --episodes=0e5: must be at least 1\n"),
        ([SCENARIO, "--timeout=0"], "flag --timeout=0: must be at least 0.1\n"),
        ([SCENARIO, "--max_cost=nan"], "flag --max_cost=nan: must be a finite number\n"),
        ([SCENARIO, "--temperature=hot"], "flag --temperature=hot: must be a number\n"),
        (["--report_only=maybe"], "flag --report_only=maybe: must be true or false\n"),
        ([SCENARIO, "--record_video=2"], "flag --record_video=2: must be true or false\n"),
        (["--flagfile=nowhere.flags"], "--flagfile=nowhere.flags: there is no such file\n"),
        (["--flagfile=/dev/null/run.flags"], "--flagfile=/dev/null/run.flags: Not a directory\n"),
        ([f"--flagfile={sys.executable}"], "--flagfile: it is no text\n"),
    ],
)
def test_wrong_or_idle_flags_are_refused_in_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    assert main(["hm-agent", "play", *arguments]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert said.err.startswith("hm-agent play: ")
    assert message in said.err
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        [SIZE, "--agent=heuristic,react", "--literal=1"],
        [SIZE, "--agent=heuristic,hypothetical_minds", "--top_k=3"],
        ["--scenario=symmtom_w6_n3_c3,enacttom_cooperative_k1_000", "--agent=random", "--literal=1"],
    ],
)
def test_a_flag_that_one_agent_or_world_uses_is_accepted(arguments: list[str]) -> None:
    assert main(["hm-agent", "play", *arguments, "--max_steps=1", "--noreplay", "--out=runs"]) == 0


def test_a_trailing_comma_is_nothing_and_a_file_of_flags_is_read(folder: Path) -> None:
    (folder / "run.flags").write_text("# a remark\n--scenario=symmtom_w6_n3_c3,\n--agent=random,heuristic,\n--out=o\n")
    assert main(["hm-agent", "play", "--flagfile=run.flags", "--noreplay", "--out=runs,"]) == 0
    assert sorted(path.name for path in (folder / "runs" / "symmtom_w6_n3_c3").iterdir()) == ["heuristic", "random"]


@pytest.mark.parametrize("arguments", [["--version"], ["play", "--version"], ["list", "--version"]])
def test_the_version_is_printed(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hm-agent", *arguments]) == 0
    assert capsys.readouterr().out.startswith("hm_agent 0.")


def test_a_short_flag_asks_for_help_too(capsys: pytest.CaptureFixture[str]) -> None:
    for command in COMMANDS:
        assert main(["hm-agent", command, "-h"]) == 0
        short = capsys.readouterr().out
        assert main(["hm-agent", command, "--help"]) == 0
        assert short == capsys.readouterr().out
        assert "--[no]help" in short, command


def test_bash_completes_commands_flags_and_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hm-agent", "completion", "bash"]) == 0
    script = capsys.readouterr().out
    for words, completed in (
        ("hm-agent pl", ["play"]),
        ("hm-agent play --scen", ["--scenario=", "--scenarios_dir="]),
        ("hm-agent play --scenario = cooking_asymmetric_s", ["cooking_asymmetric_selfplay"]),
        ("hm-agent play --agent = react,hypo", ["react,hypothetical_minds"]),
        ("hm-agent play --bots = scr", ["scripted"]),
        ("hm-agent report --eng", []),
    ):
        count = len(words.split()) - 1
        ask = f"COMP_WORDS=({words}); COMP_CWORD={count}; _hm_agent; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        found = subprocess.run(["bash", "-c", script + ask], capture_output=True, text=True, check=True)
        assert (found.stdout.split(), found.stderr) == (completed, ""), words


def test_zsh_gets_the_same_after_what_it_needs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hm-agent", "completion", "zsh"]) == 0
    assert "bashcompinit" in capsys.readouterr().out.splitlines()[1]
    assert main(["hm-agent", "completion", "fish"]) == 2
    assert capsys.readouterr().err == "hm-agent completion: say for which shell: bash or zsh\n"


@pytest.mark.parametrize(
    ("command", "shown"),
    [("generate", "hm-agent generate enacttom --help"), ("browse", "browse exploretom --help"), ("completion", "bash")],
)
def test_each_command_has_its_own_help(command: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hm-agent", command, "--help"]) == 0
    assert shown in capsys.readouterr().out


def test_agents_that_can_play_are_named_where_one_is_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hm-agent", "play", "--scenario=exploretom_a1", "--agent=nobody"]) == 2
    said = capsys.readouterr().err
    assert "reader_cot" in said
    assert "k_oracle" not in said


def test_a_tilde_in_a_path_is_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    flags.parse(
        (
            "hm-agent play",
            "--scenario=mg_pd_grim",
            "--out=~/runs",
            "--model=m",
            "--base_url=http://x/v1",
            "--cache=~/answers",
            "--report=~",
        )
    )
    assert requested.experiment().out == tmp_path / "runs"
    assert flags.FLAGS["cache"].value == f"{tmp_path}/answers"
    assert flags.FLAGS["report"].value == "~"

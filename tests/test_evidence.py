"""What changes what is played is another condition: prompts, endpoint, served model, own code; runs keep them all."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import hm_agent
from hm_agent.config import ConfigError, data_folder
from hm_agent.models.prompts import environment, phrase, prompts_from, register_prompts, template_names, template_text
from hm_agent.models.sources import HASH_DIGITS
from hm_agent.process.exit_status import FAILED, WRONG_INPUT
from hm_agent.recording.making import _checkout, making
from hm_agent.recording.result import FILE
from hm_agent.reporting import csv_records, tables
from hm_agent.reporting.conditions import conditions_of, in_order, labels
from hm_agent.reporting.runs import read_runs
from hm_agent.testing.endpoint import Endpoint, Response, completion, prompt_of, refusal
from tests.support.commands import call_here

GAME, PLAN = "mg_pd_grim", "agent/plan.j2"
AGENT = """
from hm_agent import Decision
from hm_agent.questions import Usage


class Defector:
    usage = Usage()

    async def act(self, observation):
        return Decision("defect")

    def metrics(self):
        return {}


def build(setup):
    return Defector()
"""
NOWHERE = Path("no/such/folder")


def answer(body: Mapping[str, Any], model: str = "loopback") -> Response:
    """Plans to defect. model: the name by which the endpoint calls its model."""
    given = completion('{"reasoning": "", "calls": ["play(defect)"]}', prompt=prompt_of(body))
    assert isinstance(given.body, dict)
    return replace(given, body={**given.body, "model": model})


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with Endpoint(answer) as served:
        yield served


@pytest.fixture
def briefly(tmp_path: Path) -> Path:
    """A folder with another template for plans."""
    path = tmp_path / "briefly" / PLAN
    path.parent.mkdir(parents=True)
    path.write_text(template_text(PLAN) + "\nBe brief.\n")
    return tmp_path / "briefly"


def played(out: Path, url: str, *more: str) -> tuple[int, str, str]:
    model = ("--model=loopback", f"--base_url={url}", "--max_steps=3", "--noreplay", "--agent=react")
    with prompts_from(NOWHERE):
        return call_here("hm-agent", "play", f"--scenario={GAME}", f"--out={out}", *model, *more)


def result_in(folder: Path) -> dict[str, Any]:
    (path,) = folder.glob(f"*/*/*/*/{FILE}")
    read: dict[str, Any] = json.loads(path.read_text())
    return read


def test_changed_prompts_are_another_condition_and_never_reuse_results(
    endpoint: Endpoint, briefly: Path, tmp_path: Path
) -> None:
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    own = f"--prompts_dir={briefly}"
    assert [played(folder, endpoint.base_url, *more)[0] for folder, more in ((mine, (own,)), (theirs, ()))] == [0, 0]
    status, _, errors = played(theirs, endpoint.base_url, own)
    assert status == WRONG_INPUT
    assert f"was played with other prompts: {PLAN} was changed since" in errors
    runs = read_runs([mine, theirs])
    assert len(runs.episodes) == 2
    assert not runs.contradicted
    names = labels(in_order(conditions_of(runs.results)))
    assert all("react (prompts=" in name for name in names.values())
    assert len(set(names.values())) == 2
    for row in tables.tabulate(runs.results):
        assert (
            names[row.condition].removeprefix("react (").rstrip(")")
            in str(csv_records.row_record(row)["settings"]).split()
        )
    assert sorted(":" in name for name in names.values()) == [False, True]
    assert any(name.startswith("react (prompts=briefly:") for name in names.values())
    frame = hm_agent.load([mine, theirs])
    assert sorted("prompts=briefly:" in settings for settings in frame.settings) == [False, True]
    assert {prompt_of(one.body, 0).endswith("Be brief.") for one in endpoint.received} == {True, False}


def test_a_changed_template_that_no_prompt_used_changes_nothing(endpoint: Endpoint, tmp_path: Path) -> None:
    other = tmp_path / "other" / "agent" / "give_odds.j2"
    other.parent.mkdir(parents=True)
    other.write_text("Say something.")
    assert played(tmp_path / "runs", endpoint.base_url)[0] == 0
    status, output, errors = played(tmp_path / "runs", endpoint.base_url, f"--prompts_dir={other.parents[1]}")
    assert (status, errors) == (0, "")
    assert "1 of 1 episodes" in output


def test_another_endpoint_is_asked_anew_also_with_one_cache(tmp_path: Path) -> None:
    cache = f"--cache={tmp_path / 'answers.sqlite'}"
    with Endpoint(answer) as first, Endpoint(answer) as second:
        assert played(tmp_path / "runs", first.base_url, cache)[0] == 0
        status, _, errors = played(tmp_path / "runs", second.base_url, cache)
        assert status == WRONG_INPUT
        assert f"--base_url={first.base_url}" in errors
        assert played(tmp_path / "others", second.base_url, cache)[0] == 0
        asked = len(first.received)
        assert len(second.received) == asked
        assert played(tmp_path / "again", first.base_url, cache)[0] == 0
        assert len(first.received) == asked
    found = read_runs([tmp_path / "runs", tmp_path / "others"]).results
    assert len(set(conditions_of(found))) == 2


def test_a_password_in_the_endpoints_address_is_recorded_nowhere(endpoint: Endpoint, tmp_path: Path) -> None:
    assert played(tmp_path / "runs", endpoint.base_url.replace("//", "//me:hunter2hunter2@"))[0] == 0
    assert result_in(tmp_path / "runs")["settings"]["base_url"] == endpoint.base_url
    assert not [path for path in tmp_path.rglob("*.*") if path.is_file() and b"hunter2" in path.read_bytes()]


def test_a_command_is_recorded_without_the_secrets_of_its_urls(monkeypatch: pytest.MonkeyPatch) -> None:
    url = "https://me:hunter2@x.org/v1?key=hunter3&more=hunter4"
    monkeypatch.setattr("sys.argv", ["/bin/hm-agent", "play", "--scenario=rws_?", f"--base_url={url}", "--seed=3"])
    assert making()["command"] == "hm-agent play '--scenario=rws_?' '--base_url=https://x.org/v1?' --seed=3"
    monkeypatch.setattr("sys.argv", ["/bin/hm-agent", "play", "--header=X-A:hunter5", "--header", "X-A:hunter6", "-h"])
    assert making()["command"] == "hm-agent play --header=... --header ... -h"


def test_results_tell_the_commit_and_leave_the_checkout_to_its_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*words: str) -> str:
        given = ["git", "-C", str(tmp_path), "-c", "user.name=n", "-c", "user.email=e@x.org", *words]
        return subprocess.run(given, check=True, capture_output=True, text=True).stdout.strip()

    monkeypatch.setattr("hm_agent.recording.making._CHECKOUT", tmp_path)
    (tmp_path / "file").write_text("x")
    git("init")
    git("add", "file")
    git("commit", "-m", "first")
    os.utime(tmp_path / "file", (0, 0))  # what is stored of it in the index is outdated
    index = (tmp_path / ".git" / "index").read_bytes()
    _checkout.cache_clear()
    assert making()["commit"] == git("rev-parse", "HEAD")
    assert (tmp_path / ".git" / "index").read_bytes() == index
    (tmp_path / "file").write_text("y")
    _checkout.cache_clear()
    assert making()["commit"] == git("rev-parse", "HEAD") + "-dirty"
    _checkout.cache_clear()


def test_a_result_says_how_it_came_to_be(endpoint: Endpoint, tmp_path: Path) -> None:
    assert played(tmp_path / "runs", endpoint.base_url)[0] == 0
    result = result_in(tmp_path / "runs")
    assert {"date", "command"} <= result["made"].keys()
    assert set(result["prompts"]) >= {PLAN, "matrix_games/blocks.j2"}
    for name in result["prompts"]:
        assert (tmp_path / "runs" / "prompts" / name).read_text() == template_text(name)


def test_a_result_says_what_was_sent_and_who_answered_but_no_headers_value(tmp_path: Path) -> None:
    def once_refused(body: Mapping[str, Any]) -> Response:
        if len(server.received) == 2:
            return refusal(400, "Context size has been exceeded.\x1b[2J")
        given = answer(body)
        return replace(given, body={**given.body, "system_fingerprint": "fp_1"})  # type: ignore[dict-item]

    out = tmp_path / "runs"
    own = ('--extra_body={"top_k":20}', "--header=X-Secret:hunter2hunter2,X-Title: mine")
    with Endpoint(once_refused) as server:
        assert played(out, server.base_url, *own, "--count_unanswered")[0] == 0
        assert played(out, server.base_url)[0] == WRONG_INPUT, "without the parameters it is another condition"
        status, _, errors = played(out, server.base_url, *own, "--retry_failed")
        assert (status, "questions unanswered (Context size has been exceeded.\\x1b[2J)" in errors) == (FAILED, True)
        assert len(server.received) > 2
    result = result_in(out)
    assert result["settings"]["extra_body"] == '{"top_k": 20}'
    assert (result["fingerprints"], result["sampling_seeds"]) == (["fp_1"], [server.received[0].body["seed"]])
    assert result["made"]["headers"] == "X-Secret, X-Title"
    assert (result["unanswered_questions"], result["model_calls"]) == (1, len(server.received))
    assert not [path for path in tmp_path.rglob("*.*") if path.is_file() and b"hunter2" in path.read_bytes()]
    (trace,) = out.glob("*/*/*/*/trace.jsonl")
    assert "Context size has been exceeded.\\\\x1b[2J" in trace.read_text()
    assert call_here("hm-agent", "reproduce", str(out))[::2] == (0, "")


def test_another_served_model_is_another_condition(tmp_path: Path) -> None:
    for name in ("first-2026", "second-2026"):
        with Endpoint(partial(answer, model=name)) as server:
            assert played(tmp_path / name, server.base_url)[0] == 0
        assert result_in(tmp_path / name)["served"] == [name]
    found = [replace(result, settings={}) for result in read_runs([*tmp_path.iterdir()]).results]
    told = [dict(condition.settings) for condition in conditions_of(found)]
    assert sorted(told, key=str) == [{"served": "first-2026"}, {"served": "second-2026"}]


def test_a_changed_agent_of_ones_own_is_another_condition(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    module = tmp_path / "my_evidence_agent.py"
    module.write_text(AGENT)
    play = ("hm-agent", "play", f"--scenario={GAME}", f"--out={tmp_path / 'runs'}", "--agent=my_evidence_agent:build")
    assert call_here(*play)[0] == 0
    assert len(str(result_in(tmp_path / "runs")["settings"]["code"])) == HASH_DIGITS
    module.write_text(AGENT + "# a change\n")
    status, _, errors = call_here(*play)
    assert status == WRONG_INPUT
    assert "was played with other code of your own agents or models: use the same settings, name another" in errors


def test_a_run_is_reproduced_with_the_prompts_that_lie_in_it(endpoint: Endpoint, briefly: Path, tmp_path: Path) -> None:
    out = tmp_path / "runs"
    assert played(out, endpoint.base_url, f"--prompts_dir={briefly}")[0] == 0
    asked = len(endpoint.received)
    status, output, errors = call_here("hm-agent", "reproduce", str(out))
    assert (status, errors) == (0, ""), output
    assert "the same again" in output
    (out / "prompts" / PLAN).write_text("Another question.")
    status, output, _ = call_here("hm-agent", "reproduce", str(out))
    assert status == FAILED
    assert f"was played with other prompts: {PLAN}" in output
    assert "--overwrite" not in output
    assert len(endpoint.received) == asked


def test_the_prompts_of_one_agent_in_one_scenario_are_shown() -> None:
    for agent, scenario, why in (
        ("react", "rws_repeated_*", "'rws_repeated_*' matches 9 scenarios: name one"),
        ("re*", GAME, "agent 're*': name one of react, reflexion"),
    ):
        status, output, errors = call_here("hm-agent", "prompts", "show", agent, scenario)
        assert (status, output, errors.count("\n")) == (WRONG_INPUT, "", 1)
        assert why in errors
    status, _, errors = call_here("hm-agent", "check", "re*", GAME)
    assert (status, "agent 're*': name one of react, reflexion" in errors) == (WRONG_INPUT, True)


def test_prompts_are_written_for_editing_and_shown(tmp_path: Path, briefly: Path) -> None:
    status, output, errors = call_here("hm-agent", "prompts", "export", str(tmp_path / "all"))
    assert (status, errors) == (0, ""), output
    assert template_names(tmp_path / "all") == template_names(data_folder("prompts"))
    assert call_here("hm-agent", "prompts", "export", str(tmp_path / "all"))[0] == WRONG_INPUT
    with prompts_from(NOWHERE):
        status, output, errors = call_here(
            "hm-agent", "prompts", "show", "react", GAME, "--max_steps=2", f"--prompts_dir={briefly}"
        )
    assert (status, errors) == (0, "")
    assert output.count("=== Plan, step ") == output.count("Be brief.") == 2


def test_a_template_that_cant_be_read_is_refused_with_its_line(briefly: Path) -> None:
    for content, message in ((b"Plan.\n{{ nope }\n", r"plan.j2, line 2: unexpected '}'"), (b"\xff", "can't be read")):
        (briefly / PLAN).write_bytes(content)
        with prompts_from(NOWHERE), pytest.raises(ConfigError, match=message):
            register_prompts(briefly)


def test_a_folder_that_is_registered_again_is_read_again(briefly: Path) -> None:
    messages = "agent/messages.j2"
    for answer in ("One.", "Two."):
        (briefly / PLAN).write_text(answer)
        (briefly / messages).write_text(f"{{% macro busy() %}}{answer}{{% endmacro %}}")
        with prompts_from(NOWHERE):
            register_prompts(briefly)
            assert environment().get_template(PLAN).render() == answer
            assert phrase(messages, "busy") == answer


def test_unknown_templates_and_folders_are_refused(tmp_path: Path) -> None:
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / "plam.j2").write_text("Plan.")
    for folder, message in ((tmp_path, "no template agent/plam.j2: did you mean agent/plan.j2"), (NOWHERE, "no such")):
        with prompts_from(NOWHERE), pytest.raises(ConfigError, match=message):
            register_prompts(folder)


def test_a_crash_in_ones_own_code_says_where_and_keeps_the_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "my_crashing_agent.py").write_text(
        AGENT.replace('return Decision("defect")', "return observation.nothing")
    )
    play = ("hm-agent", "play", f"--scenario={GAME}", f"--out={tmp_path / 'runs'}", "--agent=my_crashing_agent:build")
    status, _, errors = call_here(*play)
    assert status == FAILED
    assert (
        "AttributeError: 'Observation' object has no attribute 'nothing' (my_crashing_agent.py, line 10, in act)"
        in errors
    )
    reason = result_in(tmp_path / "runs")["reason"]
    assert reason.startswith("Traceback (most recent call last)")
    assert 'my_crashing_agent.py", line 10, in act' in reason

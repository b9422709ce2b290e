"""`hm-agent generate exploretom`: what it leaves, how it goes on, and what it says when something is wrong."""

from __future__ import annotations

import json
import resource
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from hm_agent.command_line.cli import main
from hm_agent.config import ConfigError
from hm_agent.storage.row_file import RowFile
from hm_agent.testing.endpoint import Endpoint, Response, completion, prompt_of, refusal
from hm_agent.worlds.exploretom.story.language import text_of
from hm_agent.worlds.exploretom.story.story_data import from_data
from tests.support.commands import end, orphans, overriding, start
from tests.support.exploretom.story_endpoint import choosing

GENERATE = ("-m", "hm_agent", "generate", "exploretom")
WORKERS = 4


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint(choosing) as server:
        yield server


def generate(*flags: str) -> int:
    return main(["hm-agent", "generate", "exploretom", *flags])


def asks(server: Endpoint) -> tuple[str, ...]:
    return *server.flags, "--retries=0", "--patience=0"


def rows(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "stories.jsonl").read_text().splitlines()]


def kept(path: Path) -> Counter[str]:
    """The prompts whose answers a cache holds."""
    with closing(sqlite3.connect(path)) as file:
        found = file.execute("SELECT request FROM answers").fetchall()
    return Counter(json.loads(request)["messages"][0]["content"] for (request,) in found)


def asked(server: Endpoint) -> Counter[str]:
    """The prompts since the last call of this."""
    taken = Counter(received.body["messages"][0]["content"] for received in server.received)
    server.received.clear()
    return taken


@contextmanager
def files_up_to(size: int) -> Iterator[None]:
    """Lets no file of this process grow beyond so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_stories_are_what_the_plan_asks_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ("--reader=reality", "--action_sets=a1*", "--stories=3", "--evaluations=8", f"--out={tmp_path}")
    assert generate(*flags) == 0
    found = rows(tmp_path)
    assert [row["id"] for row in found] == [f"{name}/000{k}" for name in ("a1", "a1_asymmetric") for k in range(3)]
    for row in found:
        script = from_data(row["story"])
        assert text_of(script) == "\n".join(row["text"])
        assert len(script.people) == row["people"]
        assert row["accuracy"] == pytest.approx(row["right"] / row["questions"], abs=1e-6)
    assert "a1_asymmetric  3 of 3" in capsys.readouterr().out
    before = (tmp_path / "stories.jsonl").read_bytes()
    assert generate(*flags) == 0
    assert (tmp_path / "stories.jsonl").read_bytes() == before
    assert generate(*overriding(*flags, "--stories=4")) == 0
    assert {row["id"]: row for row in rows(tmp_path)}.items() >= {row["id"]: row for row in found}.items()
    assert len(rows(tmp_path)) == 8


@pytest.mark.heavy
def test_killed_search_goes_on_and_pays_for_no_answer_twice(tmp_path: Path, endpoint: Endpoint) -> None:
    flags = ["--action_sets=a1,a7_asymmetric", "--stories=2", "--evaluations=5", f"--workers={WORKERS}"]
    flags += asks(endpoint)
    assert generate(*flags, f"--out={tmp_path / 'whole'}") == 0
    undisturbed, out = asked(endpoint), tmp_path / "killed"
    cache = out / "answers.sqlite"
    assert max(undisturbed.values()) == 1
    for requests in (undisturbed.total() // 3, undisturbed.total() // 3):
        before = kept(cache) if cache.exists() else Counter[str]()
        process = start(str(out), *flags, f"--out={out}", program=GENERATE)
        while process.poll() is None and len(endpoint.received) < requests:
            time.sleep(0.002)
        process.kill()
        process.communicate()
        assert process.returncode == -9
        end(orphans(str(out)))
        endpoint.join_clients()
        sent = asked(endpoint)
        assert not sent & before
        assert (sent - (kept(cache) - before)).total() <= WORKERS
    before = kept(cache)
    assert generate(*flags, f"--out={out}") == 0
    assert asked(endpoint) == undisturbed - before
    for name in ("stories.jsonl", "search.json"):
        assert (out / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_endpoint_that_dies_ends_the_search_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = iter([None] * 20)

    def dying(body: dict[str, Any]) -> Response:
        return refusal(500, "an accident") if next(answers, body) else choosing(body)

    with Endpoint(dying) as server:
        status = generate("--action_sets=a1", "--stories=2", "--evaluations=6", f"--out={tmp_path}", *asks(server))
    assert status == 3
    errors = capsys.readouterr().err
    assert errors.count("\n") == 1
    assert errors.startswith("hm-agent generate exploretom: model_unavailable: ")
    assert f"what was done is in {tmp_path}" in errors
    assert kept(tmp_path / "answers.sqlite").total() == 20


def test_budget_ends_the_search_and_a_larger_one_goes_on(
    tmp_path: Path, endpoint: Endpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ("--action_sets=a1", "--stories=2", "--evaluations=6", f"--out={tmp_path}", *asks(endpoint))
    assert generate(*flags, "--max_calls=10") == 3
    assert "budget_spent: all 10 calls of --max_calls are made" in capsys.readouterr().err
    assert len(endpoint.received) == 10
    assert generate(*flags) == 0
    assert max(asked(endpoint).values()) == 1


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--action_sets=a6_assymetric"], "unknown action set 'a6_assymetric': say a6_asymmetric"),
        (["--must_have=mvoe"], "unknown kind of action 'mvoe': say move"),
        (["--people=two"], "--people=two: say numbers from 1 to 8"),
        (["--action_sets=a4", "--rooms=1"], "the stories of a4 move objects between rooms"),
        (["--action_sets=a7", "--must_have=carry", "--rooms=1"], "the stories of a7 move objects between rooms"),
        (
            ["--action_sets=a1", "--max_actions=2"],
            "random stories meets --people=2 --important=2 --rooms=1 --max_actions=2 --must_have=move: lower --people",
        ),
        (
            ["--action_sets=a1", "--max_actions=4", "--false_beliefs=50"],
            "--false_beliefs=50: lower --false_beliefs, or raise",
        ),
        (
            ["--action_sets=a5,a1", "--must_have=tell,announce"],
            "--must_have=tell,announce: no story of the action set a1 has one; it has move",
        ),
        (["--cast=nowhere.toml"], "--cast=nowhere.toml: there is no such file"),
        (["hard"], "unexpected argument 'hard'"),
        (["--teller=builtin"], "--teller has no effect: stories are told with --infill"),
        (["--judge=builtin"], "--judge has no effect"),
        (["--method=b_star"], "value should be one of <a_star|random|over_generation>"),
    ],
)
def test_bad_input_is_one_line(
    flags: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert generate("--reader=reality", f"--out={out}", *flags) == 2
    errors = capsys.readouterr().err
    assert words in errors
    assert errors.count("\n") == 1
    assert not (out / "stories.jsonl").exists()


def test_folder_of_another_search_is_refused_and_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ("--action_sets=a1", "--stories=1", "--evaluations=3", f"--out={tmp_path}")
    assert generate("--reader=reality", *flags) == 0
    before = (tmp_path / "stories.jsonl").read_bytes()
    assert generate("--reader=last_mention", *flags) == 2
    assert 'stories.jsonl has reader "reality", not "last_mention"' in capsys.readouterr().err
    assert (tmp_path / "stories.jsonl").read_bytes() == before


def test_row_that_a_kill_cut_short_is_dropped_and_another_bad_line_is_told(tmp_path: Path) -> None:
    path = tmp_path / "stories.jsonl"
    path.write_text('{"id": "a"}\n{"id": "b')
    file = RowFile(path)
    assert list(file.rows) == ["a"]
    file.add({"id": "c"})
    assert path.read_text() == '{"id": "a"}\n{"id": "c"}\n'
    path.write_text('{"id": "a"}\nnonsense\n{"id": "c"}\n')
    with pytest.raises(ConfigError, match="line 2: not valid JSON"):
        RowFile(path)
    path.write_text('{"id": "a", "story": {}}\n{"id": "b"}\n')
    with pytest.raises(ConfigError, match="line 2: the row lacks story"):
        RowFile(path, ("story",))


def test_half_a_surrogate_pair_is_no_obstacle(tmp_path: Path) -> None:
    file = RowFile(tmp_path / "stories.jsonl")
    file.add({"id": "b", "text": "x\ud800y"})
    file.add({"id": "a"})
    file.sort()
    assert RowFile(file.path).rows == {"a": {"id": "a"}, "b": {"id": "b", "text": "x?y"}}


def test_full_disk_adds_no_part_of_a_row(tmp_path: Path) -> None:
    file = RowFile(tmp_path / "stories.jsonl")
    file.add({"id": "a"})
    with files_up_to(20), pytest.raises(OSError, match=r".+"):
        file.add({"id": "b", "text": "x" * 50})
    assert file.path.read_text() == '{"id": "a"}\n'
    assert list(file.rows) == ["a"]


def test_stories_are_told_and_telling_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def writing(body: dict[str, Any]) -> Response:
        prompt = prompt_of(body)
        if "Judge only" in prompt:
            return completion('{"tells_all": "yes", "tells_more": "no", "reason": ""}')
        plain = prompt.split("# What happens next\n")[1].splitlines()[0]
        return completion(json.dumps({"text": f"Then {plain}"}))

    with Endpoint(writing) as server:
        flags = ["--reader=reality", "--action_sets=a1", "--stories=2", "--evaluations=3", f"--out={tmp_path}"]
        flags += ["--infill", *asks(server)]
        assert generate(*flags, "--max_calls=9") == 3
        assert "budget_spent" in capsys.readouterr().err
        assert generate(*flags) == 0
        assert max(asked(server).values()) == 1
        assert generate(*flags, "--judge=builtin") == 2
    told = [json.loads(line) for line in (tmp_path / "told.jsonl").read_text().splitlines()]
    assert [row["id"] for row in told] == ["a1/0000", "a1/0001"]
    for row, story in zip(told, rows(tmp_path), strict=True):
        assert row["text"] == " ".join(f"Then {sentence}" for sentence in story["text"])
        assert row["is_told"]
    said = capsys.readouterr()
    actions = sum(len(story["text"]) for story in rows(tmp_path))
    assert f"{actions} actions at the first try, 0 at a later one, 0 by the plain sentence" in said.out
    assert 'told.jsonl has judge "loopback", not "builtin"' in said.err


def test_disk_that_fills_up_ends_the_search_in_one_line_and_keeps_whole_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ("--reader=reality", "--action_sets=a1", "--stories=4", "--evaluations=3", f"--out={tmp_path}")
    with files_up_to(4000):
        assert generate(*flags) == 1
    errors = capsys.readouterr().err
    assert errors.startswith("hm-agent generate: can't write: ")
    assert errors.count("\n") == 1
    assert 0 < len(rows(tmp_path)) < 4
    assert generate(*flags) == 0
    assert len(rows(tmp_path)) == 4


def test_folder_without_stories_takes_another_search(tmp_path: Path, endpoint: Endpoint) -> None:
    flags = ("--action_sets=a1", "--stories=1", "--evaluations=3", f"--out={tmp_path}", *asks(endpoint))
    assert generate(*flags, "--max_calls=0") == 3
    assert generate(*flags, "--seed=1") == 0


def test_model_without_a_key_is_one_line_and_leaves_no_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    assert generate("--model=gpt-4o", "--stories=1", f"--out={tmp_path}") == 2
    assert "--model=gpt-4o needs a key" in capsys.readouterr().err
    assert not (tmp_path / "search.json").exists()

"""Damaged files and answers: each is read or refused with a message, and raises no other error."""

from __future__ import annotations

import json
import sqlite3
import tomllib
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, fields
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import pytest
from _pytest.mark.structures import ParameterSet
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel
from rich.console import Console

from hm_agent.command_line.console import show_rows
from hm_agent.config import ConfigError, data_folder
from hm_agent.models.answer_file import AnswerFile
from hm_agent.models.answer_parsing import BadAnswer, read_answer
from hm_agent.models.chat import Message, Reply, Request, Sampling
from hm_agent.models.prices import Price, load_prices
from hm_agent.questions import Question
from hm_agent.recording.result import Result, read_result
from hm_agent.recording.trace import read_trace
from hm_agent.reporting.interactions import read_streams
from hm_agent.reporting.runs import read_runs
from hm_agent.reporting.summary import write_summary
from hm_agent.reporting.tables import tabulate
from hm_agent.worlds.melting_pot.facts import GameFacts
from hm_agent.worlds.melting_pot.scenarios import load_game
from tests.reporting.examples import result
from tests.support.melting_pot.asking import ask
from tests.worlds.melting_pot.games.kitchen_examples import KITCHEN_EXAMPLES
from tests.worlds.melting_pot.games.matrix_examples import MATRIX_EXAMPLES

EXAMPLES = {**MATRIX_EXAMPLES, **KITCHEN_EXAMPLES}
REQUEST = Request("some-model", (Message("user", "hello"),), Sampling(), "Answer", {"type": "object"})
GAMES = sorted(data_folder("scenarios").glob("*/*.toml"))
LARGE = 10**400
Case = TypeVar("Case")
LONGEST = 1_000
"""The longest error message, in characters."""

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from([LARGE, -LARGE, "\ud800"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


def one_of_each(cases: Iterable[Case], alike: Callable[[Case], object]) -> list[ParameterSet]:
    """The cases as parameters, of which all but the first of those that are alike are heavy."""
    first = {alike(case): case for case in reversed([*cases])}.values()
    return [pytest.param(case, marks=() if case in first else pytest.mark.heavy) for case in cases]


@contextmanager
def refusing(kind: type[Exception], start: str) -> Iterator[None]:
    """Ignores an error of a kind whose message starts with `start` and is not too long."""
    try:
        yield
    except kind as error:
        if not str(error).startswith(start) or not str(error) or len(str(error)) > LONGEST:
            raise


@contextmanager
def file_of(content: bytes) -> Iterator[Path]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(content)
        yield path


@st.composite
def damaged(draw: st.DrawFn, content: bytes) -> bytes:
    """A file's bytes with parts overwritten, inserted or cut."""
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(content)))
        end = draw(st.integers(start, min(len(content), start + 200)))
        content = content[:start] + draw(st.binary(max_size=20)) + content[end:]
    return content[: draw(st.integers(0, len(content)))] if draw(st.booleans()) else content


# Answers


@cache
def right_answer(name: str) -> str:
    answer: BaseModel = ask(EXAMPLES[name])
    return answer.model_dump_json()


def check_read(text: str, question: Question[Any]) -> None:
    with refusing(BadAnswer, ""):
        answer = read_answer(text, question)
        assert isinstance(answer, question.schema)
        question.check(answer)


def read_alike(name: str) -> object:
    """What decides how an answer to a question is read: the question's kind, the answer's, and what is asked about."""
    question: Any = EXAMPLES[name]
    return type(question), question.schema, type(getattr(question, "situation", None))


ASKED = one_of_each(EXAMPLES, read_alike)


@pytest.mark.parametrize("name", ASKED)
@given(data=st.data())
@settings(max_examples=10)
def test_an_answer_with_anything_in_any_field_is_valid_or_bad(name: str, data: st.DataObject) -> None:
    question, answer = EXAMPLES[name], json.loads(right_answer(name))
    for field in data.draw(st.sets(st.sampled_from(sorted(answer)), min_size=1)):
        answer[field] = data.draw(JSON)
    check_read(json.dumps(answer), question)
    check_read(repr(answer), question)


# Facts and prices

TOO_DEEP = b"a = " + b"[" * 100_000
TOO_LONG = b"a = " + b"9" * 5_000


def check_game(content: bytes) -> None:
    with file_of(content) as path, refusing(ConfigError, f"{path}: "):
        assert isinstance(load_game(path), GameFacts)


def test_a_game_that_is_not_there_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.toml", tmp_path):
        with pytest.raises(ConfigError, match=f"^{path}: "):
            load_game(path)


def kind_of_file(path: Path) -> object:
    return path.parent, tomllib.loads(path.read_text("utf-8")).get("game")


@pytest.mark.parametrize("path", one_of_each(GAMES, kind_of_file), ids=lambda path: path.stem)
@given(data=st.data())
@settings(max_examples=10)
def test_a_damaged_game_is_read_or_refused(path: Path, data: st.DataObject) -> None:
    check_game(data.draw(damaged(path.read_bytes())))


PRICES = b'["gpt-4.1"]\ninput = 2.0\noutput = 8.0\ncached_input = 0.5\n\n[own]\ninput = 0.5\noutput = 1.5\n'


@given(st.binary(max_size=200) | damaged(PRICES))
@example(TOO_DEEP)
@example(TOO_LONG)
def test_damaged_prices_are_read_or_refused(content: bytes) -> None:
    with file_of(content) as path, refusing(ConfigError, f"--prices={path}: "):
        assert all(isinstance(price, Price) for price in load_prices(path).values())


# Caches


def written_cache() -> bytes:
    """The bytes of a cache with twenty answers, after it was closed."""
    with TemporaryDirectory() as folder:
        with closing(AnswerFile(Path(folder) / "cache")) as cache:
            for seed in range(20):
                cache.keep(request_of(seed), Reply((f"answer {seed} " * 20,)))
        return (Path(folder) / "cache").read_bytes()


def request_of(seed: int) -> Request:
    return Request(REQUEST.model, REQUEST.messages, REQUEST.sampling, REQUEST.name, REQUEST.schema, seed)


CACHE = written_cache()


def check_cache(path: Path) -> None:
    """A cache file is refused, or used, or raises an error that names it."""
    refused = refusing(ConfigError, f"--cache={path}: "), refusing(OSError, f"{path}: ")
    with refused[0], refused[1], closing(AnswerFile(path)) as cache:
        for seed in (0, 19, 20):
            found = cache.find(request_of(seed))
            assert found is None or isinstance(found, Reply)
            cache.keep(request_of(seed), Reply(("new",)))


@given(damaged(CACHE) | st.binary(max_size=200).map(lambda tail: CACHE[:100] + tail))
@example(CACHE.replace(b"tableanswers", b"table\x80nswers").replace(b"CREATE TABLE", b"XXXXXX TABLE"))
@settings(max_examples=300)
def test_a_damaged_cache_is_used_or_refused(content: bytes) -> None:
    with file_of(content) as path:
        check_cache(path)


@given(damaged(CACHE))
@settings(max_examples=50)
def test_a_damaged_journal_of_a_cache_is_used_or_refused(content: bytes) -> None:
    with file_of(CACHE) as path:
        path.with_name("file-wal").write_bytes(content)
        check_cache(path)


INVALID = ["x'ff'", "CAST(x'ff' AS TEXT)", "7", "''", "'[1'", f"'{'[' * 50_000}'", "'{\"texts\": 9e999}'", "x'00'"]


@pytest.mark.parametrize("reply", INVALID, ids=range(len(INVALID)))
def test_an_invalid_reply_in_a_cache_is_ignored_or_named(reply: str) -> None:
    with file_of(CACHE) as path:
        with closing(sqlite3.connect(path)) as edited, edited:
            edited.execute(f"UPDATE answers SET reply = {reply}")
        check_cache(path)


@pytest.mark.parametrize("columns", ["key TEXT", "reply TEXT", "key, request, reply INTEGER, at"])
def test_another_table_of_the_same_name_is_refused_or_named(columns: str) -> None:
    with file_of(CACHE) as path:
        with closing(sqlite3.connect(path)) as edited, edited:
            edited.execute("DROP TABLE answers")
            edited.execute(f"CREATE TABLE answers ({columns})")
        check_cache(path)


# Traces

TRACE = (
    b'{"format": 2, "kind": "hm_agent trace"}\n'
    b'{"step": 0, "seat": "player_0", "interactions": [{"partner": "player_1", "reward": 1.5}]}\n'
    b'{"step": 1, "seat": "player_0", "hypotheses": [{"words": "It plays rock.", "value": 0.3}], '
    b'"about": "player_1", "validated": "x"}\n'
)
ODD_LINES = [b"3", b"[]", b"null", b'"x"', b"{", b"\xff\xfe", b"", b"NaN", b"[" * 100_000, b"9" * 5_000]


@pytest.mark.parametrize("line", ODD_LINES, ids=range(len(ODD_LINES)))
def test_a_line_that_is_no_object_is_left_out_of_a_trace(line: bytes) -> None:
    with file_of(TRACE + line + b"\n" + TRACE.partition(b"\n")[2]) as path:
        assert [said["step"] for said in read_trace(path)] == [0, 1, 0, 1]


TRACE_KEYS = ["step", "seat", "events", "interactions", "about", "validated", "x"]


@given(
    damaged(TRACE * 3)
    | st.lists(st.dictionaries(st.sampled_from(TRACE_KEYS), JSON)).map(
        lambda lines: b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    )
)
def test_a_damaged_trace_is_read_as_far_as_it_can_be(content: bytes) -> None:
    with file_of(content) as path:
        assert all(isinstance(line, dict) for line in read_trace(path))
        read_streams(path)


# Results

RESULT = asdict(result(reward=3.0, background=("a", "b"), settings={"seed": 0, "top_k": 5}))
FIELDS = [field.name for field in fields(Result)]


@given(st.binary(max_size=200) | damaged(json.dumps(RESULT).encode()))
@example(b"[" * 100_000)
@example(b"\xff")
def test_a_damaged_result_is_read_or_is_none(content: bytes) -> None:
    with file_of(content) as path:
        found = read_result(path)
        assert found is None or isinstance(found, Result)


ODD_VALUES = st.sampled_from(
    [LARGE, -LARGE, -1, 1e308, float("nan"), float("inf"), "", "[/red]", "[bold", "a|b\nc", "<b>", "completed", "../x"]
)


@given(st.lists(st.dictionaries(st.sampled_from(FIELDS), ODD_VALUES | JSON, max_size=3), min_size=1, max_size=4))
@settings(max_examples=200)
@example([{"scenario": "[/red]"}])
@example([{"steps": LARGE}])
@example([{"reward": float("nan"), "metrics": {"normalised_reward": float("inf")}}])
@example([{"metrics": {"normalised_reward": 1e300, "interactions": "many"}}, {"world": "elsewhere"}])
@example([{"seed": LARGE}, {"seed": -1}])
def test_results_with_anything_in_any_field_are_summed_up_or_left_out(changes: list[dict[str, Any]]) -> None:
    with TemporaryDirectory() as name, (Path(name) / "log").open("w") as log:
        out = Path(name)
        for number, change in enumerate(changes):
            folder = out / "scenario" / "agent" / "model" / f"episode-{number}"
            folder.mkdir(parents=True)
            (folder / "result.json").write_text(json.dumps(RESULT | {"seed": number} | change))
        runs = read_runs((out,))
        write_summary(out, runs)
        show_rows(Console(file=log), tabulate(runs.results))
        found = len(runs.episodes) + runs.repeated + len(runs.contradicted) + len(runs.unreadable)
        assert found == len(changes)

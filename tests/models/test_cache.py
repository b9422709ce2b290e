"""The answer cache and its file: what it gives again, and what it refuses to touch."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import hm_agent
from hm_agent.config import ConfigError
from hm_agent.models.answer_file import AnswerFile
from hm_agent.models.cache import CachedChat
from hm_agent.models.chat import Message, Reply, Request, Sampling
from hm_agent.questions import ModelUnavailable, Unanswered
from hm_agent.testing.endpoint import Endpoint as Server
from hm_agent.testing.endpoint import Response, completion, refusal
from tests.models.loopback_client import REQUEST as GREETING
from tests.models.loopback_client import chat_with

REQUEST = replace(GREETING, sampling=Sampling(0.1), seed=1)
OTHERS = {
    "model": replace(REQUEST, model="other-model"),
    "message": replace(REQUEST, messages=(Message("user", "hello!"),)),
    "role": replace(REQUEST, messages=(Message("assistant", "hello"),)),
    "more_messages": replace(REQUEST, messages=(*REQUEST.messages, Message("user", "hello"))),
    "sampling": replace(REQUEST, sampling=Sampling(0.2)),
    "completions": replace(REQUEST, sampling=Sampling(0.1, completions=2)),
    "name": replace(REQUEST, name="Other"),
    "schema": replace(REQUEST, schema={"type": "string"}),
    "seed": replace(REQUEST, seed=2),
    "sample": replace(REQUEST, sample=1),
    "endpoint": replace(REQUEST, endpoint="http://elsewhere/v1"),
}
KEPT = Reply(("kept", "too"), "a problem", 12, None)


def ask(path: Path, server: Server, *requests: Request, offline: bool = False) -> list[Reply]:
    """The replies of one run, to requests made one after the other."""

    async def in_order(cache: AnswerFile) -> list[Reply]:
        async with chat_with(server.base_url) as chat:
            cached = CachedChat(chat, cache, offline=offline)
            return [await cached.complete(request) for request in requests]

    with closing(AnswerFile(path)) as cache:
        return asyncio.run(in_order(cache))


@contextmanager
def counting() -> Iterator[Server]:
    """An endpoint whose answers are the numbers from 1."""
    count = iter(range(1, 1000))
    with Server(lambda body: completion(str(next(count)), prompt="a prompt")) as server:
        yield server


def in_other_process(script: str, *arguments: object) -> subprocess.Popen[str]:
    """A Python process with REQUEST's like at hand."""
    start = (
        "import sys\nfrom pathlib import Path\nfrom dataclasses import replace\n"
        "from hm_agent.models.answer_file import AnswerFile\nfrom hm_agent.models.chat import *\n"
        f"request = {REQUEST!r}\n"
    )
    return subprocess.Popen(
        [sys.executable, "-c", start + script, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(Path(hm_agent.__file__).parents[1])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def output_of(process: subprocess.Popen[str]) -> str:
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    return output


# What it gives again


def test_second_time_is_answered_without_a_request(tmp_path: Path) -> None:
    with counting() as server:
        first, second = ask(tmp_path / "answers", server, REQUEST, REQUEST)
        (later,) = ask(tmp_path / "answers", server, REQUEST)
    assert first == Reply(("1",), None, input_tokens=2, output_tokens=1, served="loopback", seed=1)
    assert second == later == replace(first, cached=True)
    assert len(server.received) == 1


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_other_request_is_asked(tmp_path: Path, other: Request) -> None:
    with counting() as server:
        first, second, again = ask(tmp_path / "answers", server, REQUEST, other, REQUEST)
    assert (first.texts, second.texts, again.texts) == (("1",), ("2",), ("1",))
    assert not second.cached
    assert len(server.received) == 2


def test_every_part_of_a_request_is_compared() -> None:
    parts = {"model", "messages", "sampling", "name", "schema", "seed", "sample", "endpoint"}
    assert parts == set(Request.__slots__)
    assert parts - {"messages"} <= set(OTHERS)


def test_refusal_that_no_word_explains_is_not_kept(tmp_path: Path) -> None:
    responses = iter([completion("fine"), refusal(400, "Something is wrong."), completion("fine")])
    later = replace(REQUEST, seed=2)
    with Server(lambda body: next(responses)) as server:
        with pytest.raises(Unanswered, match="Something is wrong"):
            ask(tmp_path / "answers", server, REQUEST, later)
        assert ask(tmp_path / "answers", server, later)[0].texts == ("fine",)


def test_order_of_keys_in_a_schema_makes_no_other_request(tmp_path: Path) -> None:
    one, other = {"type": "object", "title": "A"}, {"title": "A", "type": "object"}
    with counting() as server:
        ask(tmp_path / "answers", server, replace(REQUEST, schema=one), replace(REQUEST, schema=other))
    assert len(server.received) == 1


def test_offline_answers_what_is_known_and_asks_nothing_else(tmp_path: Path) -> None:
    with counting() as server:
        ask(tmp_path / "answers", server, REQUEST)
        assert ask(tmp_path / "answers", server, REQUEST, offline=True)[0].texts == ("1",)
        with pytest.raises(ModelUnavailable, match=r"no answer to a Answer.*--offline"):
            ask(tmp_path / "answers", server, replace(REQUEST, seed=2), offline=True)
    assert len(server.received) == 1


def test_offline_answers_come_from_a_file_that_nobody_may_write(tmp_path: Path) -> None:
    path = tmp_path / "read only?" / "answers#1"
    path.parent.mkdir()
    with counting() as server:
        ask(path, server, REQUEST)
    before = path.read_bytes()
    for mode in (0o555, 0o755):
        path.parent.chmod(mode)
        path.chmod(0o444)
        with closing(AnswerFile(path, is_read_only=True)) as cache:
            found = cache.find(REQUEST)
        assert found is not None
        assert found.texts == ("1",)
    assert path.read_bytes() == before


def test_a_folder_where_nothing_can_be_written_is_named_with_what_would_be_right() -> None:
    with pytest.raises(ConfigError, match=r"^--cache=/proc/self/answers: .* beside it in /proc/self; name one where"):
        AnswerFile(Path("/proc/self/answers")).open()


def test_failure_is_not_kept(tmp_path: Path) -> None:
    responses = iter([refusal(401, "no"), completion("fine")])
    with Server(lambda body: next(responses)) as server:
        with pytest.raises(ModelUnavailable):
            ask(tmp_path / "answers", server, REQUEST)
        assert ask(tmp_path / "answers", server, REQUEST)[0].texts == ("fine",)


def test_refusal_of_a_request_is_kept_and_given_again_without_a_call(tmp_path: Path) -> None:
    refused = refusal(400, "The response was filtered.", code="content_filter")
    with Server(lambda body: refused) as server:
        for offline in (False, False, True):
            with pytest.raises(Unanswered, match="The response was filtered"):
                ask(tmp_path / "answers", server, REQUEST, offline=offline)
    assert len(server.received) == 1


@pytest.mark.parametrize(
    "text", ["", "\x00", "a\x00b", "\ud83d", "\udc00\ud800", "äλ🙂", "\\ud83d", "'; DROP TABLE answers"]
)
def test_odd_texts_survive(tmp_path: Path, text: str) -> None:
    request = replace(REQUEST, messages=(Message("user", text),))
    with closing(AnswerFile(tmp_path / "answers")) as cache:
        cache.keep(request, Reply((text, "more"), text))
    with closing(AnswerFile(tmp_path / "answers")) as cache:
        assert cache.find(request) == Reply((text, "more"), text, cached=True)
        assert cache.find(REQUEST) is None


# Several at one file


def test_many_may_make_the_file_at_once(tmp_path: Path) -> None:
    failures: list[Exception] = []

    def make(path: Path, together: threading.Barrier) -> None:
        together.wait(timeout=20)
        try:
            with closing(AnswerFile(path)) as cache:
                cache.keep(REQUEST, KEPT)
        except (ConfigError, OSError) as error:
            failures.append(error)

    for n in range(20):
        start = threading.Barrier(8)
        threads = [threading.Thread(target=make, args=(tmp_path / str(n), start)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not failures


# What is no answer file


@pytest.mark.parametrize("content", [b"no database at all", b"SQLite format 3\x00" + bytes(2000)])
def test_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=f"^--cache={path}: .*; name a file"):
        AnswerFile(path).open()
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE answers (question TEXT)")
    content = path.read_bytes()
    with pytest.raises(ConfigError, match=f"^--cache={path}: this is another program's database; name a file"):
        AnswerFile(path).open()
    assert path.read_bytes() == content


def test_place_where_no_file_can_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path, tmp_path / "file" / "answers", tmp_path / "file/folder/answers", Path("/proc/answers")):
        with pytest.raises(ConfigError, match=f"^--cache={path}: "):
            AnswerFile(path).open()


def test_folders_on_the_way_are_made_and_an_empty_file_is_used(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "answers"
    (tmp_path / "empty").touch()
    for file in (path, tmp_path / "empty"):
        with closing(AnswerFile(file)) as cache:
            cache.open()
        assert file.is_file()


@pytest.mark.parametrize("reply", ["{}", "[]", "null", "no JSON", "", '{"texts": 1}', '{"texts": ["a"], "problem": 1}'])
def test_reply_of_another_version_is_asked_again_once(tmp_path: Path, reply: str) -> None:
    path = tmp_path / "answers"
    with counting() as server:
        ask(path, server, REQUEST)
        with closing(sqlite3.connect(path)) as edited, edited:
            assert edited.execute("UPDATE answers SET reply = ?", (reply,)).rowcount == 1
        again, after = ask(path, server, REQUEST, REQUEST)
    assert (again.texts, again.cached) == (("2",), False)
    assert (after.texts, after.cached) == (("2",), True)


def test_full_disk_is_an_error_that_names_the_file_and_keeps_what_there_is(tmp_path: Path) -> None:
    script = """
import resource
cache = AnswerFile(Path(sys.argv[1]))
cache.keep(request, Reply(("kept",)))
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    for seed in range(100):
        cache.keep(replace(request, seed=100 + seed), Reply(("x" * 10_000,)))
except OSError as error:
    print(error)
"""
    path = tmp_path / "answers"
    assert output_of(in_other_process(script, path)).startswith(f"{path}: ")
    with closing(AnswerFile(path)) as cache:
        assert cache.find(REQUEST) == Reply(("kept",), cached=True)


def test_file_that_breaks_under_way_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "answers"

    def drop(body: dict[str, Any]) -> Response:
        with closing(sqlite3.connect(path)) as other, other:
            other.execute("DROP TABLE answers")
        return completion("fine")

    with Server(drop) as server, pytest.raises(OSError, match=f"^{path}: no such table"):
        ask(path, server, REQUEST)

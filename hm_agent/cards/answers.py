"""The recorded answers of episodes, and the small archive that a card is derived from again.

The archive has a line of JSON for each episode, compressed. Of prompts it has the hashes alone: whoever plays the
episode again renders them anew.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from hm_agent.cards.battery import CANARY
from hm_agent.config import ConfigError
from hm_agent.models.recorded import RecordedAnswers, RecordedCall, RecordedQuestion, prompt_hash
from hm_agent.recording.trace import read_trace
from hm_agent.storage.files import read_regular, write_whole

Place = tuple[str, int]
"""The full name of a scenario, and the number of an episode."""
_HEADER = {"format": 1, "kind": "hm_agent answers", "canary": CANARY}
_ANSWERS = TypeAdapter(dict[str, tuple[RecordedQuestion, ...]])
MOST_BYTES = 500_000_000
"""A larger archive is refused, since it might fill the memory."""


def answers_in(trace: Path) -> RecordedAnswers:
    """Reads from a trace what was asked and answered."""
    by_seat: dict[str, list[RecordedQuestion]] = {}
    for line in read_trace(trace, with_any_of=("questions",)):
        by_seat.setdefault(line["seat"], []).extend(map(_recorded, line["questions"]))
    return by_seat


def _recorded(entry: Mapping[str, Any]) -> RecordedQuestion:
    calls = tuple(
        RecordedCall(**{**call, "prompt": prompt_hash(call["prompt"]), "replies": tuple(call["replies"])})
        for call in entry.get("calls", ())
    )
    return RecordedQuestion(entry["question"], calls, None if calls else entry["answer"])


def pack(answers: Mapping[Place, RecordedAnswers]) -> bytes:
    """The archive of some episodes' answers; the same answers give the same bytes."""
    lines: list[dict[str, Any]] = [_HEADER]
    for (scenario, number), by_seat in sorted(answers.items()):
        seats = {seat: [_brief(asdict(question)) for question in by_seat[seat]] for seat in sorted(by_seat)}
        lines.append({"scenario": scenario, "episode": number, "answers": seats})
    text = "".join(json.dumps(line, sort_keys=True) + "\n" for line in lines)
    return gzip.compress(text.encode(), mtime=0)


def _brief(value: Any) -> Any:
    """A record without its empty fields."""
    if isinstance(value, dict):
        return {key: _brief(part) for key, part in value.items() if part not in (None, (), [])}
    return [_brief(part) for part in value] if isinstance(value, list | tuple) else value


def unpack(content: bytes, name: str) -> dict[Place, RecordedAnswers]:
    """The answers in an archive; ConfigError, in one line with the name, if it is none."""
    try:
        header, *lines = map(json.loads, _decompressed(content).decode().splitlines())
        if header != _HEADER:
            raise ValueError("its first line is another one")
        return {
            (str(line["scenario"]), int(line["episode"])): _ANSWERS.validate_python(line["answers"]) for line in lines
        }
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, RecursionError) as error:
        raise ConfigError(f"{name} holds no answers of a battery: {' '.join(str(error).split())}") from error


def _decompressed(content: bytes) -> bytes:
    reader = zlib.decompressobj(wbits=31)
    text = reader.decompress(content, MOST_BYTES)
    if reader.unconsumed_tail or not reader.eof:
        raise ValueError("it is cut, or too large")
    return text


def content_hash(content: bytes) -> str:
    """The hash of an archive's text, however well it is compressed; of no archive that of the empty text."""
    return hashlib.sha256(_decompressed(content) if content else b"").hexdigest()


def write_answers(content: bytes, path: Path) -> None:
    """Writes the archive; without content, an older one goes."""
    if content:
        write_whole(path, content)
    else:
        path.unlink(missing_ok=True)


def read_answers(path: Path) -> bytes:
    """The archive beside a card; empty if there is none, as for an agent that asks no language model."""
    try:
        return read_regular(path) if path.exists() else b""
    except OSError as error:
        raise ConfigError(f"{path}: {error}") from error

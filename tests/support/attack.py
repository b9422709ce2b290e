"""Attacks on the whole command: each runs for a given number of seconds and returns what it found broken."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.models.answer_parsing import BadAnswer, read_answer
from hm_agent.models.canned import fitting
from hm_agent.questions import Question, answer_schema
from hm_agent.recording.result import read_result
from hm_agent.testing.endpoint import Endpoint
from hm_agent.testing.episodes import play_steps
from tests.support import schema_player
from tests.support.commands import call, end, orphans, outcomes, overriding, start
from tests.support.faults import KINDS, FaultyPlayer
from tests.support.kills import KillTrial

MINDS = "hypothetical_minds"
PLAYS = {"exploretom_a4": "reader", "symmtom_w6_n3_c3": MINDS, "rws_repeated_1": MINDS, "cooking_asymmetric_0": MINDS}
"""Scenarios with the agents that play them; together they ask most kinds of questions."""
SCRIPTED: Mapping[str, Mapping[str, Any]] = {"melting_pot": {"bots": "scripted"}}
"""Options by world."""
STORIES = ("--scenario=exploretom_a4,exploretom_a7", "--agent=reader", "--noreplay")
FAULTY_SHARE = 0.3
PLAIN = ("--scenario=exploretom_a4", "--agent=reality", "--max_steps=3", "--noreplay")
STATUSES = (0, 1, 2, 3, 130)
"""The exit statuses that a command may have."""
WAYS_TO_TAMPER = ("cut", "flip", "empty", "folder", "pipe", "link", "remove", "noise")
VALUES = (
    "",
    "0",
    "-1",
    "1e6",
    "nan",
    "inf",
    "1e999",
    "..",
    "/proc/x",
    "\x1b[2J",
    "a,b",
    ",",
    "*",
    "ä",
    "9" * 400,
    "[",
    "x",
)
"""The values that fuzzed flags are set to."""
TOO_LONG = ("--episodes=1e6", "--episodes=9", "--scenario=*", "--agent=*")
"""Valid flags that are left out, since they would play for long."""
LATEST_SIGNAL = 4.0
"""The latest time at which a signal is sent, in seconds after the start."""


@dataclass
class Findings:
    """The outcome of an attack. attempts: the number of rounds. broken: sentences on what did not hold."""

    attempts: int
    broken: list[str]

    def check(self, holds: bool, otherwise: str) -> None:
        if not holds:
            self.broken.append(otherwise)


Attack = Callable[[Path, float, random.Random], Findings]
"""Attacks in a folder of its own for a number of seconds; the random stream draws what is tried."""


def _rounds(seconds: float, findings: Findings) -> Iterator[int]:
    """Yields the numbers of rounds, from 1 on, until the time is over; at least one."""
    deadline = time.monotonic() + seconds
    while not findings.attempts or time.monotonic() < deadline:
        findings.attempts += 1
        yield findings.attempts


def _ends_tidily(status: int, errors: str) -> bool:
    return status in STATUSES and "Traceback" not in errors and errors.count("\n") <= 1


def hostile_endpoint(folder: Path, seconds: float, stream: random.Random) -> Findings:
    """Answers three of ten requests with faults of more than forty kinds: all episodes must end as without faults."""
    findings = Findings(0, [])
    shares = dict.fromkeys(KINDS, FAULTY_SHARE / len(KINDS))

    def played(out: Path, player: FaultyPlayer) -> Mapping[str, object]:
        with Endpoint(player.answer) as server:
            flags = [*server.flags, "--timeout=2", "--retries=8"]
            grid = [*STORIES, "--episodes=5", "--max_steps=6", f"--seed={seed}", "--workers=2", f"--out={out}"]
            status, _, errors = call(str(out), *grid, *flags)
        findings.check((status, errors) == (0, ""), f"exit {status}: {errors[-300:]}")
        return outcomes(out)

    for number in _rounds(seconds, findings):
        seed = stream.randrange(10**6)
        calm = played(folder / f"calm-{number}", FaultyPlayer({}, KINDS, schema_player.answer))
        stormy = played(folder / f"stormy-{number}", FaultyPlayer(shares, KINDS, schema_player.answer))
        changed = [place for place in calm if calm[place] != stormy.get(place)]
        findings.check(not changed and len(calm) == len(stormy), f"seed {seed}: faults changed {changed[:3]}")
    return findings


def kills(folder: Path, seconds: float, stream: random.Random) -> Findings:
    """Kills the command, or first a worker: each result is there exactly once, and no cached answer is paid again."""
    findings = Findings(0, [])
    with Endpoint(schema_player.answer, delay=0.05) as server:
        trial = KillTrial(folder, server, episodes=8, steps=6, grid=STORIES)
        trial.run_undisturbed()
        for number, kill in zip(_rounds(seconds, findings), trial.rounds(10, stream.randrange(10**6)), strict=False):
            findings.check(kill.is_as_undisturbed, f"round {number}: results differ from those of an undisturbed run")
            findings.check(not kill.paid_again, f"round {number}: {kill.paid_again} cached answers were paid again")
            findings.check(not kill.orphans, f"round {number}: {kill.orphans} processes were left behind")
        last = trial.round(lambda received: False)
        findings.check(last.lost == 0 and not last.errors, f"the last run: {last.lost} lost, {last.errors[-300:]}")
        findings.check(last.is_as_undisturbed, "the last run: results differ from those of an undisturbed run")
    return findings


def signals(folder: Path, seconds: float, stream: random.Random) -> Findings:
    """Sends SIGINT, SIGTERM or SIGHUP at a random time: the command ends with at most one line and status 130 or 0.

    It leaves no process behind, and the same command resumes the run.
    """
    findings, out = Findings(0, []), folder / "out"
    with Endpoint(schema_player.answer, delay=0.1) as server:
        model = [*server.flags, f"--cache={folder / 'answers'}"]
        flags = [*STORIES, *model, "--episodes=20", "--max_steps=6", f"--out={out}"]
        for number in _rounds(seconds, findings):
            shutil.rmtree(out, ignore_errors=True)
            which = stream.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
            process = start(str(out), *flags, f"--workers={stream.choice((1, 2))}")
            # Python itself takes a moment to install its signal handlers.
            time.sleep(stream.uniform(1.0, LATEST_SIGNAL))
            process.send_signal(which)
            _, errors = process.communicate()
            what = f"{which.name} in round {number}"
            findings.check(process.returncode in (0, 130), f"{what}: exit {process.returncode}: {errors[-300:]}")
            findings.check(_ends_tidily(process.returncode, errors), f"{what}: {errors[-300:]}")
            left = orphans(str(out))
            findings.check(not left, f"{what}: {len(left)} processes were left behind")
            end(left)
        status, _, errors = call(str(out), *flags)
        findings.check((status, errors) == (0, ""), f"the same command again: exit {status}: {errors[-300:]}")
    return findings


def tampered_files(folder: Path, seconds: float, stream: random.Random) -> Findings:
    """Damages or replaces files in OUT: reports and the resumed command say so in a line, or play what is missing."""
    findings = Findings(0, [])
    whole = folder / "whole"
    grid = [*PLAIN, "--episodes=4"]
    assert call("whole", *grid, f"--out={whole}")[0] == 0
    for number in _rounds(seconds, findings):
        out = Path(shutil.copytree(whole, folder / f"out-{number}"))
        damage = [_tamper(out, stream) for _ in range(stream.randint(1, 4))]
        reported, played = (call("tampered", *flags, f"--out={out}") for flags in ([*grid, "--report_only"], grid))
        for status, _, errors in (reported, played):
            findings.check(_ends_tidily(status, errors), f"{damage}: exit {status}: {errors[-300:]}")
        finished = [path for path in out.glob("*/*/*/*/result.json") if read_result(path)]
        findings.check(played[0] != 0 or len(finished) == 4, f"{damage}: {len(finished)} of 4 results, and exit 0")
        shutil.rmtree(out, ignore_errors=True)
    return findings


def _tamper(out: Path, stream: random.Random) -> str:
    """Damages one file below a folder; returns a description of the damage."""
    files = sorted(path for path in out.rglob("*") if path.is_file() and not path.is_symlink())
    path, way = stream.choice(files), stream.choice(WAYS_TO_TAMPER)
    content = bytearray(path.read_bytes()) or bytearray(b" ")
    path.unlink()
    place = stream.randrange(len(content))
    match way:
        case "cut":
            path.write_bytes(content[:place])
        case "flip":
            content[place] ^= 1 << stream.randrange(8)
            path.write_bytes(content)
        case "empty":
            path.touch()
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "link":
            path.symlink_to(stream.choice((path, Path("/dev/null"), Path("/nowhere"))))
        case "noise":
            path.write_bytes(stream.randbytes(1000))
    return f"{way} {path.relative_to(out)}"


def fuzzed_flags(folder: Path, seconds: float, stream: random.Random) -> Findings:
    """Sets random flags to values of any kind: the command plays, or says in one line what is wrong."""
    from hm_agent.command_line import flags as known

    findings = Findings(0, [])
    names = sorted({name for group in known.GROUPS.values() for name in group} - {"ray_address", "engine"})
    for number in _rounds(seconds, findings):
        fuzzed = [f"--{stream.choice(names)}={stream.choice(VALUES)}" for _ in range(stream.randint(1, 3))]
        fuzzed = [flag for flag in fuzzed if not flag.startswith(TOO_LONG)]
        place = folder / f"in-{number}"
        place.mkdir()
        given = overriding(*PLAIN, f"--out={place / 'out'}", "--offline", *fuzzed)
        status, _, errors = call("fuzzed", *given, cwd=place)
        findings.check(_ends_tidily(status, errors), f"{fuzzed}: exit {status}: {errors[-300:]}")
        findings.check("\x1b" not in errors, f"{fuzzed}: a control character reached the terminal")
        shutil.rmtree(place, ignore_errors=True)
    return findings


def random_answers(folder: Path, seconds: float, stream: random.Random) -> Findings:
    """Reads answers that fit the schema, with random damage: each is a valid answer or raises BadAnswer."""
    findings = Findings(0, [])
    questions = _questions()
    for _ in _rounds(seconds, findings):
        question = stream.choice(questions)
        text = _damaged(question, stream)
        try:
            answer = read_answer(text, question)
            findings.check(isinstance(answer, question.schema), f"{text!r} was read as {answer!r}")
            question.check(answer)
        except BadAnswer:
            continue
        except Exception as error:  # noqa: BLE001 - any other exception is a finding
            findings.broken.append(f"{type(error).__name__} for {text[:300]!r} to {type(question).__name__}")
    return findings


def _questions() -> Sequence[Question[Any]]:
    """One question of each kind that short episodes ask."""
    by_kind: dict[str, Question[Any]] = {}
    for name, agent in PLAYS.items():
        (scenario,) = find_scenarios([name])
        for step in play_steps(scenario, agent, 120, seed=3, **SCRIPTED.get(scenario.world, {})):
            for exchange in step.decision.exchanges:
                by_kind.setdefault(type(exchange.question).__name__, exchange.question)
    return list(by_kind.values())


def _damaged(question: Question[Any], stream: random.Random) -> str:
    """An answer to a question as text, with some of it removed, repeated or replaced."""
    text = json.dumps(fitting(answer_schema(question), stream))
    for _ in range(stream.randint(0, 4)):
        start_, length = stream.randrange(len(text) + 1), stream.randint(0, 12)
        piece = text[start_ : start_ + length]
        other = stream.choice(("", piece * 2, "null", "{", "]", '"', "-1e999", "\\ud83d", "\x00", "9" * 50, "</think>"))
        text = text[:start_] + other + text[start_ + length :]
    return text


ATTACKS: Mapping[str, Attack] = {
    "hostile endpoint": hostile_endpoint,
    "kills": kills,
    "signals": signals,
    "tampered files": tampered_files,
    "fuzzed flags": fuzzed_flags,
    "random answers": random_answers,
}


def run_attack(name: str, seconds: float, seed: int) -> Findings:
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        return ATTACKS[name](Path(folder), seconds, random.Random(seed))

"""The result of an episode: the contents of `result.json`, and how it is written and read."""

from __future__ import annotations

import json
import platform
import re
import sysconfig
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from hm_agent.catalogue.suite import Setting
from hm_agent.config import ConfigError, first_problem
from hm_agent.metrics import Measure
from hm_agent.process.shell import printable
from hm_agent.questions import Usage
from hm_agent.storage.files import read_regular, write_whole

FILE = "result.json"
"""The result file of an episode that finished or failed."""
UNFINISHED = "unfinished.json"
"""The result file of an episode that something else stopped, e.g. an interrupt, and that is to be played again."""
PACKAGES = ("hm_agent", "openai", "numpy")
FINISHED = ("completed", "max_steps")
"""The statuses of finished episodes: played to the end of the game, or to --max_steps."""
INTERRUPTED = "interrupted"
FAILED = "failed"
"""The beginning of the status of an episode that ended with an error."""
NO_RESULT = "no_result"
"""The status that readers give a finished episode if more than `MOST_UNANSWERED` of its questions went unanswered."""
MOST_UNANSWERED = 0.2

ENDPOINT = "base_url"
"""The setting that names the endpoint of the models, without name, password and query; only if one was given."""
EXTRA_BODY = "extra_body"
"""The setting that holds the user's own parameters of each request, as JSON; only if there are any."""
CODE = "code"
"""The setting that holds a hash of the files of the user's own agents and models; only if there are any."""
OWN_FILE = "scenarios_dir"
"""The setting that holds a hash of the user's file that a scenario was read from; shipped scenarios have none."""
BOTS_FILE = "learned_bots"
"""The setting that holds a hash of the networks by which bots play, if these learned here."""
NETWORKS = "networks"
"""The setting that holds a hash of the trained networks by which agents play; only if there are any."""

FORMAT: Literal[2] = 2
"""The format that this version writes."""
UNKNOWN_VERSION = "of an unknown version"
_FRAME = re.compile(r'^  File "([^"\n]+)", line (\d+), in (.+)$', re.MULTILINE)
_NOT_OWN = (Path(__file__).parents[1], sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"))
"""The folders of this package, of Python and of installed libraries."""
Count = Annotated[int, Field(ge=0, le=10**15)]
MOST_AMOUNT = 1e15
Amount = Annotated[float, Field(ge=-MOST_AMOUNT, le=MOST_AMOUNT)]
"""Larger numbers are taken for errors in the file; means of them would be meaningless."""


@dataclass(frozen=True)
class SeatResult:
    """What one seat's agent did and asked; usage as in `Result`."""

    seat: str
    agent: str
    model: str
    reward: Amount
    metrics: Mapping[str, Amount] = field(default_factory=dict)
    questions: Count = 0
    unanswered_questions: Count = 0
    model_calls: Count = 0
    cached_calls: Count = 0
    input_tokens: Count | None = 0
    output_tokens: Count | None = 0
    cost: Amount | None = 0.0
    cached_cost: Amount | None = None

    @property
    def usage(self) -> Usage:
        return _usage(self)


@dataclass(frozen=True, repr=False)
class Result:
    """One episode, as reports read it.

    agent, model: joined by `+` where the seats differ. status: `completed`; `max_steps`, `interrupted`,
    `model_unavailable`, `budget_spent` or `failed: ...` if it was cut. reward: the sum over all steps, per capita.
    metrics: the world's, and the means over seats of what the agents counted. background: the policies inside
    the world, e.g. bots. reason: what ended it before its time. model_calls: requests to a language model, of which
    cached_calls were answered from a cache; tokens and cost (USD) are those of all of them, None if not known;
    cached_cost: the part of the cost that was not paid again.
    agent_ms_per_step_median: over the decisions for which nothing was asked. settings: what else was asked for
    that may change the outcome, by flag; None if a flag was not set. measure: what the episode is compared by, as its
    scenario had it when it was played; None in older files, which lack it. prompts: the hashes of the templates that a
    language model's prompts were rendered from, by name. served, fingerprints: by which names endpoints called the
    models that answered, and their systems. sampling_seeds: those that were sent. made: when, by which command and by
    which version of the package it was played, and with which headers, by name; see `making`. format: the version of
    the file's form.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="ignore")

    world: str
    scenario: str
    agent: str
    model: str
    episode: Count
    seed: Count
    status: str
    reason: str
    steps: Count
    reward: Amount
    metrics: Mapping[str, Amount]
    background: tuple[str, ...]
    questions: Count
    unanswered_questions: Count
    model_calls: Count
    cached_calls: Count
    input_tokens: Count | None
    output_tokens: Count | None
    cost: Amount | None
    agent_ms_per_step_median: Amount | None
    wall_seconds: Amount
    seats: tuple[SeatResult, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Setting] = field(default_factory=dict)
    cached_cost: Amount | None = None
    measure: Measure | None = None
    prompts: Mapping[str, str] = field(default_factory=dict)
    served: tuple[str, ...] = ()
    fingerprints: tuple[str, ...] = ()
    sampling_seeds: tuple[int, ...] = ()
    made: Mapping[str, str] = field(default_factory=dict)
    format: Literal[2] = FORMAT

    def __repr__(self) -> str:
        """`<Result: rws_repeated_1 react #0: completed, 1299 steps, reward 4.2>`."""
        played = f"{self.scenario} {self.agent} #{self.episode}"
        return f"<Result: {played}: {self.status}, {self.steps} steps, reward {self.reward:.4g}>"

    @property
    def usage(self) -> Usage:
        return _usage(self)

    def metric(self, name: str) -> float | None:
        """A metric by name, `reward` included; None if the episode has none."""
        return self.reward if name == "reward" else self.metrics.get(name)

    @property
    def ending(self) -> str:
        """The status without the error's message: `failed` for `failed: ...`."""
        return self.status.split(":")[0]

    @property
    def is_finished(self) -> bool:
        return self.status in FINISHED

    @property
    def is_answered(self) -> bool:
        """False if so many questions went unanswered that the outcome says little about the agent."""
        return self.unanswered_questions <= MOST_UNANSWERED * self.questions

    @property
    def unanswered_note(self) -> str:
        """`3 of 20 questions unanswered`; empty if none is."""
        if not self.unanswered_questions:
            return ""
        return f"{self.unanswered_questions} of {self.questions} questions unanswered"

    @property
    def judged(self) -> Result:
        """The result, with the status `no_result: ...` if it is finished but not `is_answered`: no mean includes it."""
        if self.is_answered or not self.is_finished:
            return self
        return replace(self, status=f"{NO_RESULT}: {self.unanswered_note}")

    @property
    def has_failed(self) -> bool:
        return self.status.startswith(FAILED)

    @property
    def outcome(self) -> str:
        """`finished`, `failed` with an error, or `cut` by anything else."""
        if self.is_finished:
            return "finished"
        return "failed" if self.has_failed else "cut"

    @property
    def short_reason(self) -> str:
        """What ended the episode early, in one line."""
        reason = self.status.partition(": ")[2] or self.reason
        return " ".join(reason.splitlines()[:1])

    @property
    def place_of_error(self) -> str:
        """`agent.py, line 7, in act`: where a failure left the user's own code; empty if it never ran."""
        return own_place(self.reason)

    @property
    def stops_the_run(self) -> bool:
        """True if what ended the episode stops all others, too: an interrupt, an unavailable model, a spent budget."""
        return not self.is_finished and not self.has_failed


def own_place(traceback: str) -> str:
    """The last place of a traceback in the user's own code, e.g. `agent.py, line 7, in act`; empty if it has none."""
    frames = [frame for frame in _FRAME.findall(traceback) if not frame[0].startswith("<")]  # <string>: generated
    own = [frame for frame in frames if not any(Path(folder) in Path(frame[0]).parents for folder in _NOT_OWN)]
    return "{}, line {}, in {}".format(Path(own[-1][0]).name, *own[-1][1:]) if own else ""


_FIELDS = {"unanswered": "unanswered_questions", "calls": "model_calls", "cached": "cached_calls"}
"""How results name parts of a usage, where they name them otherwise."""


def _usage(record: Result | SeatResult) -> Usage:
    recorded = {each.name: getattr(record, _FIELDS.get(each.name, each.name)) for each in fields(Usage)}
    return Usage(**recorded | {"cached_cost": _cached_cost(record)})


def _cached_cost(record: Result | SeatResult) -> float | None:
    """The recorded value; in older files, which lack it, it is known only if all calls or none were cached."""
    if record.cached_cost is None and record.cached_calls in (0, record.model_calls):
        return record.cost if record.cached_calls else 0.0
    return record.cached_cost


def usage_fields(usage: Usage) -> dict[str, Any]:
    """A usage as the fields of a `Result` or `SeatResult`."""
    return {_FIELDS.get(name, name): value for name, value in asdict(usage).items()}


@cache
def _reader() -> TypeAdapter[Result]:
    """Cached: building it takes a hundred times as long as using it, and a grid reads its results several times."""
    return TypeAdapter(Result)


def write_result(result: Result, folder: Path) -> None:
    """Writes the result into an episode's folder, as `FILE` or `UNFINISHED`; the file is whole or not there at all.

    Raises ValueError for what no reader would take, e.g. a cost that is no number: it would be played again and again.
    """
    name = UNFINISHED if result.stops_the_run else FILE
    fields = asdict(result)
    content = json.dumps({"format": fields.pop("format"), **fields}, indent=2, ensure_ascii=False) + "\n"
    # A file's name in an error may hold unpaired surrogates, with which neither results nor reports can be read.
    encoded = content.encode("utf-8", "replace")
    try:
        _reader().validate_json(encoded)
    except ValidationError as error:
        raise ValueError(f"the result can't be recorded: {first_problem(error)}") from error
    write_whole(folder / name, encoded)


def result_files(out: Path, scenarios: str = "*") -> list[Path]:
    """The result files of a run's episodes, those as `FILE` first. scenarios: a pattern of the names of scenarios."""
    return [path for name in (FILE, UNFINISHED) for path in sorted(out.glob(f"{scenarios}/*/*/*/{name}"))]


def read_result(path: Path) -> Result | None:
    """Reads a result; None if the file is missing, unreadable or of another format."""
    try:
        return _reader().validate_json(read_regular(path))
    except (OSError, ValueError, RecursionError):
        return None


def other_format(path: Path) -> str | None:
    """What is wrong with a result of another format, which version wrote it, and what to do; None for any other file.

    A file without a format is a result of format 1 if it has a scenario and an agent.
    """
    try:
        fields = json.loads(read_regular(path))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(fields, dict):
        return None
    given = fields.get("format", 1 if {"scenario", "agent"} <= fields.keys() else FORMAT)
    if not isinstance(given, int) or given == FORMAT:
        return None
    recorded = fields.get("versions")
    writer = str(recorded.get("hm_agent", UNKNOWN_VERSION)) if isinstance(recorded, dict) else UNKNOWN_VERSION
    advice = "update hm_agent" if given > FORMAT else "read it with that version"
    return (
        f"{path} has format {given}, written by hm_agent {printable(writer)}, and this version reads and writes "
        f"{FORMAT}: {advice}, name another --out, or play anew with --overwrite"
    )


def check_format(path: Path) -> None:
    """Raises ConfigError for a result of another format, which must not be overwritten as a damaged file is."""
    if problem := other_format(path):
        raise ConfigError(problem)


def versions(packages: Sequence[str] = ()) -> dict[str, str]:
    """The versions of Python and of the packages that an episode's outcome depends on. packages: those of its world."""
    return {"python": platform.python_version()} | {package: _installed(package) for package in (*PACKAGES, *packages)}


@cache
def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"

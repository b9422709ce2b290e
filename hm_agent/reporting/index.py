"""`index.html`: all episodes of a folder in one page, each with its picture, its outcome and its files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hm_agent.recording.files import write_whole
from hm_agent.recording.result import FILE, FINISHED, UNFINISHED, Result
from hm_agent.reporting.conditions import Condition, labels
from hm_agent.reporting.links import Link, address
from hm_agent.reporting.notes import SCALE, of_files, stand_ins
from hm_agent.reporting.pages import page
from hm_agent.reporting.runs import Played, Runs, Stage, read_runs

PAGE = "index.html"
PICTURE = "thumbnail.png"
LINKED = {
    "replay.html": "replay",
    "video.mp4": "video",
    "trace.jsonl": "trace",
    FILE: "result",
    UNFINISHED: "result",
}
"""What the files of an episode are called, in the order they are linked."""
REWARD = f"{SCALE}; below it, the sum of what was earned."


@dataclass(frozen=True)
class Entry:
    """An episode as the index lists it. picture: the address of a frame of it, None where there is none."""

    stage: Stage
    agent: str
    result: Result
    picture: str | None
    links: tuple[Link, ...]

    @property
    def mark(self) -> str:
        """How the status looks."""
        if self.result.is_finished:
            return "finished"
        return "failed" if self.result.has_failed else "cut"

    @property
    def reason(self) -> str:
        """What ended it before its time, in one line."""
        said = self.result.status.partition(": ")[2] or self.result.reason
        return " ".join(said.splitlines()[:1])

    @property
    def details(self) -> str:
        """All that is known of the reason, where that is more."""
        full = self.result.reason.strip()
        return "" if full in self.reason else full

    @property
    def tokens(self) -> int | None:
        """In and out."""
        sent, received = self.result.input_tokens, self.result.output_tokens
        return None if sent is None or received is None else sent + received

    @property
    def replay(self) -> str | None:
        return next((link.address for link in self.links if link.name == "replay"), None)


@dataclass(frozen=True)
class Index:
    """All that the page says. overviews: what else tells of all the episodes."""

    entries: tuple[Entry, ...]
    overviews: tuple[Link, ...]
    notes: tuple[str, ...]

    title: str = "Hypothetical Minds: episodes"

    @property
    def agents(self) -> int:
        return len({entry.agent for entry in self.entries})

    @property
    def scenarios(self) -> int:
        return len({entry.stage for entry in self.entries})

    @property
    def statuses(self) -> Mapping[str, int]:
        """How many episodes ended in which way, the finished ones first."""
        counts = Counter(entry.result.ending for entry in self.entries)
        return {
            status: counts[status] for status in sorted(counts, key=lambda status: (status not in FINISHED, status))
        }

    @property
    def has_calls(self) -> bool:
        """Whether a language model was asked anything."""
        return any(entry.result.model_calls for entry in self.entries)


def write_index(out: Path, report: Path | None = None) -> Path:
    """Writes the page anew from what lies below `out`, and returns its path. report: its page, where there is one."""
    overviews = {"Report": report, "Summary": out / "summary.md"}
    links = [Link(name, address(path, out)) for name, path in overviews.items() if path and path.is_file()]
    write_whole(out / PAGE, page("index.html.j2", index=list_episodes(read_runs((out,)), out, links)))
    return out / PAGE


def list_episodes(runs: Runs, out: Path, overviews: Iterable[Link] = ()) -> Index:
    """The index of some episodes, for a page in the folder `out`."""
    contestants = [Condition.of(result) for result in runs.results]
    names = labels(contestants, apart_by=("bots",))
    entries = [_entry(played, names, out) for played in runs.episodes]
    return Index(tuple(entries), tuple(overviews), (REWARD, *stand_ins(contestants), *of_files(runs)))


def _entry(played: Played, names: Mapping[Condition, str], out: Path) -> Entry:
    picture = played.folder / PICTURE
    return Entry(
        stage=played.stage,
        agent=names[Condition.of(played.result)],
        result=played.result,
        picture=address(picture, out) if picture.is_file() else None,
        links=tuple(_links(played.folder, out)),
    )


def _links(folder: Path, out: Path) -> Sequence[Link]:
    return [Link(word, address(folder / name, out)) for name, word in LINKED.items() if (folder / name).is_file()]

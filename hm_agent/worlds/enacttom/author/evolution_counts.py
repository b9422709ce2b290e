"""Counts what became of a pool's tasks, by generation, and what parts of the pipeline change (table 9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, astuple, dataclass

from rich.table import Table

from hm_agent.grouping import grouped
from hm_agent.process.output import plain_table
from hm_agent.storage.row_file import Row
from hm_agent.wording import number, percent


@dataclass(frozen=True)
class GenerationCounts:
    """proposed: proposals, refused ones included. proved: tasks of which a proposal was. Of the proved ones:

    public_success: the target solves them with all secrets public. private_failure: it fails them otherwise. kept:
    both. no_result: too many questions of an episode went unanswered. target_fails: the share of kept ones among those
    of public_success that have a result; None without any. k_depth: the mean of the kept ones.
    """

    generation: int
    proposed: int
    proved: int
    public_success: int
    private_failure: int
    kept: int
    no_result: int
    target_fails: float | None
    k_depth: float | None


@dataclass(frozen=True)
class Ablation:
    """What would be kept without a part of the pipeline.

    candidates: the tasks that reach the last gate. kept: those of them that pass. k_depth: the mean of the kept ones.
    unproved: the share of kept ones that the verifier or the council refuses. unfair: the share of kept ones that the
    target fails with all secrets public, too.
    """

    pipeline: str
    candidates: int
    kept: int
    k_depth: float | None
    unproved: float | None
    unfair: float | None

    @property
    def kept_share(self) -> float | None:
        return _share(self.kept, self.candidates)


@dataclass(frozen=True)
class _Candidate:
    k_depth: int
    is_proved: bool
    public: bool | None
    private: bool | None


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _mean(numbers: Sequence[int]) -> float | None:
    return sum(numbers) / len(numbers) if numbers else None


def generation_counts(rows: Sequence[Row]) -> list[GenerationCounts]:
    by_generation = grouped((row["generation"], row) for row in rows)
    return [_counts(generation, born) for generation, born in sorted(by_generation.items())]


def _counts(generation: int, born: Sequence[Row]) -> GenerationCounts:
    proved = [row for row in born if row["proved"]]
    solvable = [row for row in proved if row["public"]]
    kept = [row for row in proved if row["kept"]]
    return GenerationCounts(
        generation,
        len(proved) + sum(sum(row["refused"].values()) for row in born),
        len(proved),
        len(solvable),
        sum(row["private"] is False for row in proved),
        len(kept),
        sum(None in (row["public"], row["private"]) for row in proved),
        _share(len(kept), sum(row["private"] is not None for row in solvable)),
        _mean([row["k_depth"] for row in kept]),
    )


def ablations(rows: Sequence[Row]) -> list[Ablation]:
    """What the whole pipeline keeps of the generations with parents, and what it would keep without a part of it.

    Without the verifier, the first readable proposal of each task would be played as it is. Without the calibration,
    whatever is proved and failed with private secrets would be kept. Without examples: the first generation, which
    has no parents.
    """
    bred = [row for row in rows if row["generation"]]
    whole = _proved(bred)
    first = [_first(row) for row in bred if row["proved"] or row["first"]]
    return [
        _ablation("whole", whole),
        _ablation("without the verifier", first),
        _ablation("without the calibration", whole, is_calibrated=False),
        _ablation("without examples", _proved(row for row in rows if not row["generation"])),
    ]


def _proved(rows: Iterable[Row]) -> list[_Candidate]:
    return [_Candidate(row["k_depth"], True, row["public"], row["private"]) for row in rows if row["proved"]]


def _first(row: Row) -> _Candidate:
    """The first proposal of a task that could be read."""
    first = row["first"]
    played = first or row
    return _Candidate(played["k_depth"], first is None, played["public"], played["private"])


def _ablation(pipeline: str, candidates: Sequence[_Candidate], *, is_calibrated: bool = True) -> Ablation:
    kept = [one for one in candidates if one.private is False and (one.public or not is_calibrated)]
    return Ablation(
        pipeline,
        len(candidates),
        len(kept),
        _mean([one.k_depth for one in kept]),
        _share(sum(not one.is_proved for one in kept), len(kept)),
        _share(sum(one.public is False for one in kept), len(kept)),
    )


def as_content(rows: Sequence[Row]) -> dict[str, object]:
    return {
        "generations": [asdict(one) for one in generation_counts(rows)],
        "ablations": [{**asdict(one), "kept_share": one.kept_share} for one in ablations(rows)],
    }


def generation_table(rows: Sequence[Row]) -> Table:
    table = plain_table(
        "generation", "proposed", "proved", "public success", "private failure", "kept", "no result", "target fails",
        "K depth",
    )  # fmt: skip
    for one in generation_counts(rows):
        *counts, fails, depth = astuple(one)
        table.add_row(*map(str, counts), percent(fails), number(depth))
    return table


def ablation_table(rows: Sequence[Row]) -> Table:
    table = plain_table(
        "pipeline", "candidates", "kept", "share", "K depth", "not proved", "failed with secrets public"
    )
    for one in ablations(rows):
        shares = (percent(one.kept_share), number(one.k_depth), percent(one.unproved), percent(one.unfair))
        table.add_row(one.pipeline, str(one.candidates), str(one.kept), *shares)
    return table

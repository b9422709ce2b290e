"""What a user wants a report on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hm_agent.flags.fields import flag_field
from hm_agent.reporting.drawing import AS_SVG, FigureFiles


@dataclass(frozen=True)
class ReportRequest:
    """What to report on, and where to write the report.

    folders: of the runs. into: the report's folder. scenarios, agents: names or globs; empty: all. counts_unanswered:
    as in `read_runs`.
    """

    folders: tuple[Path, ...]
    into: Path
    scenarios: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    figures: FigureFiles = AS_SVG
    counts_unanswered: bool = flag_field(
        False, "Also count episodes in which more than a fifth of the questions went unanswered.", "count_unanswered"
    )

"""The tables of a report as CSV: raw numbers, one flat record a line."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

from hm_agent.reporting.comparing import Comparison
from hm_agent.reporting.conditions import Condition
from hm_agent.reporting.runs import Played
from hm_agent.reporting.statistics import Difference, Interval
from hm_agent.reporting.tables import Row

Record = dict[str, str | int | float | None]


def sheet(records: Sequence[Record]) -> str:
    """CSV with a line of headings; an unknown value is left empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(records[0]) if records else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue()


def record(row: Row) -> Record:
    """A row of the table of rewards."""
    reward, usage = row.reward, row.usage
    low, high = _ends(reward.interval if reward else None)
    paper, paper_sem = row.paper or (None, None)
    return {
        "scenario": row.stage.short_name,
        "game": row.stage.game,
        **_who(row.contestant),
        "episodes": row.episodes,
        "finished": row.finished,
        "unfinished": _pairs(row.unfinished),
        "normalised_reward": reward.mean if reward else None,
        "sem": reward.error if reward else None,
        "low": low,
        "high": high,
        "paper": paper,
        "paper_sem": paper_sem,
        "random": row.floor,
        "oracle": row.ceiling,
        "score": row.score,
        "interactions": row.interactions,
        "questions": usage.questions,
        "unanswered": usage.unanswered,
        "calls": usage.calls,
        "cached": usage.cached,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost": usage.cost,
    }


def compared(comparison: Comparison, names: Mapping[Condition, str]) -> Record:
    """A row of the table of differences."""
    reward = _difference("reward", comparison.reward)
    return {
        "game": comparison.game,
        "first": names[comparison.first],
        "second": names[comparison.second],
        **reward,
        **_difference("score", comparison.score),
        "equal": comparison.equal,
        "common": comparison.common,
    }


def _difference(name: str, difference: Difference | None) -> Record:
    low, high = _ends(difference.interval if difference else None)
    return {
        name: difference.mean if difference else None,
        f"{name}_low": low,
        f"{name}_high": high,
        f"{name}_unit": difference.unit if difference else None,
        f"{name}_clusters": difference.clusters if difference else None,
    }


def listed_episode(played: Played) -> Record:
    """A row of the table of episodes. folder: as it was named when the report was written."""
    result = played.result
    return {
        "scenario": played.stage.short_name,
        **_who(Condition.of(result)),
        "base_seed": result.settings.get("seed"),
        "episode": result.episode,
        "seed": result.seed,
        "background": " ".join(result.background),
        "status": result.status,
        "reason": result.reason,
        "steps": result.steps,
        "reward": result.reward,
        "normalised_reward": result.normalised_reward,
        "interactions": result.interactions,
        "questions": result.questions,
        "calls": result.model_calls,
        "input_tokens": result.input_tokens,
        "output_tokens": result.output_tokens,
        "cost": result.cost,
        "wall_seconds": result.wall_seconds,
        "folder": str(played.folder),
    }


def _who(contestant: Condition) -> Record:
    return {
        "agent": contestant.agent,
        "model": contestant.model,
        "bots": contestant.bots,
        "settings": _pairs(dict(contestant.settings)),
    }


def _pairs(said: Mapping[str, object]) -> str:
    return " ".join(f"{name}={value}" for name, value in said.items() if value is not None)


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return interval or (None, None)

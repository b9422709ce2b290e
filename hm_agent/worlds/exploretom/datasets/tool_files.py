"""Writes the files that describe a data set: its card for people, and settings for inspect_ai and lm_eval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment

from hm_agent.models.prompts import environment as prompts
from hm_agent.pages.rendering import environment
from hm_agent.storage.files import write_whole
from hm_agent.worlds.exploretom.datasets.export_plan import (
    CARD,
    DIRECT,
    FOR_TRAINING,
    TEST,
    ExportCounts,
    ExportPlan,
    file_of,
)
from hm_agent.worlds.exploretom.datasets.item import CANARY, FORMAT, LITERAL, TRACKER


def write_tool_files(plan: ExportPlan, counts: ExportCounts) -> None:
    """Writes all these files; the card is last, since it marks a complete set."""
    splits = [split for split in plan.splits if any(name.endswith(f"/{split}.jsonl") for name in counts.lines)]
    evaluated = TEST if TEST in splits else splits[-1]
    evaluations = [
        name for name in counts.configs if file_of(name, evaluated) in counts.lines and name not in FOR_TRAINING
    ]
    intro = evaluation_template("{story}", sees_contents=plan.sees_contents)
    template, shared = f"{intro}\n\n{{prompt}}", {"name": plan.name, "split": evaluated}
    _render(plan.out / "eval.yaml", "eval.yaml.j2", configs=evaluations, template=template, **shared)
    for config in evaluations:
        _write_harness_file(plan, config, evaluated)
    _write_card(plan, counts, splits, evaluated)


def _write_harness_file(plan: ExportPlan, config: str, split: str) -> None:
    intro = evaluation_template("{{story}}", sees_contents=plan.sees_contents)
    _render(
        plan.out / "lm_eval" / f"exploretom_{config}.yaml",
        "lm_eval.yaml.j2",
        config=config,
        split=split,
        file=file_of(config, split),
        text=f"{intro}\n\nQuestion: {{{{question}}}}\nAnswer:",
        version=TRACKER,
    )


def _write_card(plan: ExportPlan, counts: ExportCounts, splits: Sequence[str], evaluated: str) -> None:
    _render(
        plan.out / CARD,
        "card.md.j2",
        name=plan.name,
        command=plan.command,
        stories=counts.stories,
        sees_contents=plan.sees_contents,
        has_training=DIRECT in counts.configs,
        mixed=counts.mixed,
        splits=splits,
        evaluated=evaluated,
        configs=[_card_config(name, splits, counts) for name in counts.configs],
        rates=counts.shown_rates(),
        canary=CANARY,
        tracker=TRACKER,
        format=FORMAT,
    )


def _card_config(name: str, splits: Sequence[str], counts: ExportCounts) -> Mapping[str, Any]:
    """A config as the card shows it."""
    files = {split: file_of(name, split) for split in splits if file_of(name, split) in counts.lines}
    lines = {split: counts.lines[file] for split, file in files.items()}
    return {"name": name, "is_default": name == LITERAL, "files": files, "counts": lines}


def evaluation_template(placeholder: str, *, sees_contents: bool) -> str:
    """What a model reads before a question: a placeholder for the story, and how to read it."""
    words: Any = prompts().get_template("exploretom/words.j2").module
    return str(words.the_story(placeholder, sees_contents)).strip()


@cache
def _templates() -> Environment:
    return environment(Path(__file__).parent / "templates")


def _render(path: Path, source: str, **values: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, _templates().get_template(source).render(**values))

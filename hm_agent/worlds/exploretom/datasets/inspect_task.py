"""The task of inspect_ai for an exported data set: `inspect eval hm_agent/exploretom -T folder=... --model=...`.

Needs the extra `inspect`; inspect_ai finds the task by its entry point.
"""

from __future__ import annotations

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import accuracy, choice, grouped, stderr
from inspect_ai.solver import multiple_choice

from hm_agent.config import ConfigError
from hm_agent.worlds.exploretom.datasets.item import letter, read_items
from hm_agent.worlds.exploretom.datasets.tool_files import evaluation_template


@task  # type: ignore[untyped-decorator]
def exploretom(folder: str, config: str = "literal", split: str = "test") -> Task:
    """All questions of one file of a set, by multiple choice; accuracy also by order and property.

    folder: as `hm-agent export exploretom` wrote it. Raises ConfigError for a set that can't be read.
    """
    path = Path(folder) / config / f"{split}.jsonl"
    if not path.is_file():
        raise ConfigError(f"{path}: there is no such file")
    samples = [
        Sample(
            input=f"{evaluation_template(item.story, sees_contents=item.contents == 'seen')}\n\n{item.question}",
            choices=list(item.choices),
            target=letter(item.choices.index(item.answer)),
            id=item.id,
            metadata={"order": f"order {item.order}", "property": item.about, "set_id": item.set_id},
        )
        for item in read_items(path)
    ]
    return Task(
        dataset=MemoryDataset(samples, name=f"{Path(folder).name}/{config}"),
        solver=multiple_choice(),
        scorer=choice(),
        metrics=[accuracy(), stderr(), grouped(accuracy(), "order"), grouped(accuracy(), "property")],
    )

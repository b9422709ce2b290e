"""The plan of an export, and the counts of what it wrote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hm_agent.worlds.exploretom.datasets.item import LITERAL, StoryItem
from hm_agent.worlds.exploretom.datasets.training_mix import MixedSet, TrainingMix
from hm_agent.worlds.exploretom.questions.story_questions import chance

CARD = "README.md"
TRAIN, TEST = "train", "test"
DIRECT, REASONED = "training_direct", "training_reasoned"
CHAT = "chat"
FOR_TRAINING = (DIRECT, REASONED, CHAT)
"""The configs that are no questions to play."""


@dataclass(frozen=True)
class ExportPlan:
    """What to write. splits: their shares by name; stories are split by seed or line. command: as the card shows it.

    has_training: also write prompts with replies, from the split `train`. mix: what training data in chat form is made
    of, which is then written in place of the split `train`. has_parquet: also write each file as Parquet.
    """

    out: Path
    name: str
    splits: Mapping[str, int]
    command: str
    sees_contents: bool = False
    has_training: bool = False
    mix: TrainingMix | None = None
    has_parquet: bool = False

    def split_of(self, seed: int) -> str:
        """The split of a seed or line.

        Of every `sum of shares` numbers in a row, the first ones belong to the first split, and so on. So a seed has
        the same split in all action sets, however many stories are exported.
        """
        rest = seed % sum(self.splits.values())
        for name, share in self.splits.items():
            if rest < share:
                return name
            rest -= share
        raise AssertionError(rest)


@dataclass
class _BaseRate:
    """Counts over the questions of one kind about one property.

    by_chance: how many a uniform choice gets right, on average. by_reality: how many the state of the world answers
    rightly.
    """

    questions: int = 0
    by_chance: float = 0.0
    by_reality: int = 0
    answers: Counter[str] = field(default_factory=Counter)

    def add(self, item: StoryItem) -> None:
        self.questions += 1
        self.by_chance += chance(item.choices)
        self.by_reality += not item.false_belief
        self.answers[item.answer] += 1


@dataclass
class ExportCounts:
    """What an export wrote.

    lines: the number of lines of each file, by its path in the folder. rates: by kind and property of the questions.
    mixed: the parts of the training mix.
    """

    stories: int = 0
    lines: Counter[str] = field(default_factory=Counter)
    rates: dict[tuple[str, str], _BaseRate] = field(default_factory=dict)
    mixed: list[MixedSet] = field(default_factory=list)

    @property
    def configs(self) -> Sequence[str]:
        """The kinds of lines: `literal`, `functional`, and those for training."""
        return tuple(dict.fromkeys(name.partition("/")[0] for name in self.lines))

    def add(self, item: StoryItem) -> None:
        self.rates.setdefault((item.kind, item.property), _BaseRate()).add(item)

    def shown_rates(self) -> list[Mapping[str, Any]]:
        """The base rates, as the card shows them."""
        return [
            {
                "kind": kind,
                "about": about,
                "questions": rate.questions,
                "chance": rate.by_chance / rate.questions,
                "commonest": rate.answers.most_common(1)[0][1] / rate.questions,
                "reality": rate.by_reality / rate.questions if kind == LITERAL else None,
            }
            for (kind, about), rate in sorted(self.rates.items())
        ]


def file_of(config: str, split: str) -> str:
    """The path in the folder of a config's split."""
    return f"{config}/{split}.jsonl"

"""`hm-agent audit FILE`: reads a set of stories and questions, and reports which of its labels are wrong."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hm_agent.catalogue.world_command import WorldCommand
from hm_agent.config import ConfigError
from hm_agent.flags.fields import flag_field
from hm_agent.wording import counted
from hm_agent.worlds.exploretom.audit.judging import Judgement, LabelVerdict, judge
from hm_agent.worlds.exploretom.audit.labelled import labelled_stories
from hm_agent.worlds.exploretom.suite import HIDDEN, SEEN

USAGE = """Looks for wrong labels in a set of stories and questions, and shows the beliefs that speak against each.

    hm-agent audit tomi.txt
    hm-agent audit sets/moves/literal/test.jsonl
    hm-agent audit stories.jsonl --contents=hidden --json

FILE is numbered text, as of bAbI and ToMi (a question, a tab, its label), or JSON with story, question and answer, or
with input and target, and optionally choices. A label that depends on a convention is arguable; what can't be read is
not judged. Exit status: 0 if no label is wrong, 1 if one is.
"""
FOUND, NONE_FOUND = 1, 0
"""Exit statuses."""


@dataclass(frozen=True)
class AuditFlags:
    contents: str | None = flag_field(
        None,
        "Whether entering a room shows what its containers hold, where the file does not say. Without it, it does, "
        "as in ToMi, and a label that is wrong only because of that is arguable.",
        choices=(HIDDEN, SEEN),
    )
    strict: bool = flag_field(False, "Count labels that are arguable or can't be judged as wrong ones.")
    json: bool = flag_field(False, "Print a line of JSON for each label that is not right.")
    most: int = flag_field(20, "How many labels to show of each kind: wrong, arguable, not judged.", lower=0)


COMMAND = WorldCommand("hm-agent audit", USAGE, {"Flags": AuditFlags})


def main(arguments: Sequence[str]) -> int:
    """Runs one command line and returns the exit status. Raises ConfigError for invalid flags or files."""
    files = COMMAND.read(arguments, takes_words=True)
    if files is None:
        return 0
    if len(files) != 1:
        raise ConfigError("name one file: hm-agent audit FILE; see --help")
    path, said = Path(files[0]), COMMAND.values(AuditFlags)
    counts: Counter[LabelVerdict] = Counter()
    for judgement in judgements(path, sees_contents=None if said.contents is None else said.contents == SEEN):
        counts[judgement.verdict] += 1
        if said.json:
            _print_json(path, judgement)
        elif judgement.verdict is not LabelVerdict.RIGHT and counts[judgement.verdict] <= said.most:
            _print_judgement(path, judgement)
    if not said.json:
        _print_summary(path, counts, said.most)
    failing = tuple(LabelVerdict)[1:] if said.strict else (LabelVerdict.WRONG,)
    return FOUND if any(counts[verdict] for verdict in failing) else NONE_FOUND


def judgements(path: Path, *, sees_contents: bool | None = None) -> Iterator[Judgement]:
    """Judges every label of a file; raises ConfigError for a file that has none."""
    has_labels = False
    for story in labelled_stories(path):
        for judgement in judge(story, sees_contents=sees_contents):
            has_labels = True
            yield judgement
    if not has_labels:
        raise ConfigError(f"{path}: no question with a label in it")


def _print_judgement(path: Path, judgement: Judgement) -> None:
    question = judgement.question
    message = f"{judgement.verdict.value}: {question.text} {question.label!r}: {judgement.reason}"
    print(f"{path}:{question.line}: {_printable(message)}")
    for line in judgement.trace:
        print(f"    {_printable(line)}")


def _printable(text: str) -> str:
    """The text with spaces for non-printable characters, which might control a terminal."""
    return "".join(character if character.isprintable() else " " for character in text)


def _print_json(path: Path, judgement: Judgement) -> None:
    if judgement.verdict is LabelVerdict.RIGHT:
        return
    question = judgement.question
    shown = {
        "file": str(path),
        "line": question.line,
        "verdict": judgement.verdict.value,
        "question": question.text,
        "label": question.label,
        "reason": judgement.reason,
        "convention": judgement.convention.name.lower() if judgement.convention else None,
        "trace": judgement.trace,
    }
    print(json.dumps(shown, ensure_ascii=False))


def _print_summary(path: Path, counts: Counter[LabelVerdict], most: int) -> None:
    parts = ", ".join(f"{counts[verdict]:,} {verdict.value}" for verdict in LabelVerdict)
    print(f"{path}: {counted(counts.total(), 'label')}: {parts}")
    hidden = [verdict.value for verdict in LabelVerdict if verdict is not LabelVerdict.RIGHT and counts[verdict] > most]
    if hidden:
        print(f"Shown are {most} labels of each kind ({' and '.join(hidden)}); --most=N shows more.")

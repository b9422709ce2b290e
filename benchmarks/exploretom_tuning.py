"""`python -m benchmarks.exploretom_tuning SET ...`: what a small learner learns from exported training mixes.

It stands in for a language model where no GPU is: a logistic model that knows no rule of belief, only which masked
sentences a story has. Each SET is a folder of `hm-agent export exploretom --mix`; all are evaluated on the literal test
questions of the first.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import exp, sqrt
from pathlib import Path

from hm_agent.worlds.exploretom.datasets.item import ReadItem, read_items

ROUNDS = 4
STEP = 0.3
KEPT_WORDS = frozenset(
    {
        "entered",
        "left",
        "moved",
        "told",
        "privately",
        "loudly",
        "witnessed",
        "secret",
        "distracted",
        "not",
        "about",
        "is",
        "in",
        "believes",
        "thinks",
        "that",
        "knows",
        "would",
        "search",
        "think",
        "know",
        "beginning",
        "before",
    }
)
"""The words that masking leaves as they are."""
ASKED = re.compile(r"# The story\n(.*?)\n\nHow to read it.*# The question\n(.*?)\nChoose one: (.*?)\.\n", re.DOTALL)


class LogisticChooser:
    """Chooses among answers by a sum of weights of features, fitted by gradient steps (AdaGrad)."""

    def __init__(self) -> None:
        self._weights: defaultdict[str, float] = defaultdict(float)
        self._squares: defaultdict[str, float] = defaultdict(float)

    def odds(self, options: Sequence[Counter[str]]) -> list[float]:
        scores = [sum(self._weights.get(name, 0) * count for name, count in option.items()) for option in options]
        weights = [exp(score - max(scores)) for score in scores]
        return [weight / sum(weights) for weight in weights]

    def learn(self, options: Sequence[Counter[str]], right: int) -> None:
        for index, (option, odd) in enumerate(zip(options, self.odds(options), strict=True)):
            error = odd - (index == right)
            for name, count in option.items():
                slope = error * count
                self._squares[name] += slope * slope
                self._weights[name] -= STEP * slope / sqrt(self._squares[name] + 1e-9)


def features(story: str, question: str, choice: str, choices: Sequence[str]) -> Counter[str]:
    """The masked sentences of a story, and the last one about the choice and about the person asked about."""
    sentences = story.splitlines()
    named = [word for word in re.findall(r"\b[A-Z][a-z]+\b", question) if any(word in each for each in sentences)]
    masks = {name: f"<{index}>" for index, name in enumerate(dict.fromkeys(named))}
    tag = "C" if any(re.search(rf"\b{re.escape(choice)}\b", each) for each in sentences) else choice
    head = f"{_masked(question, masks, choice, choices)}|{tag}"
    masked = [_masked(each, masks, choice, choices) for each in sentences]
    found = Counter({head: 1})
    for sentence in set(masked):
        found[f"{head}|{sentence}"] = 1
    for mask in ("<0>", "<1>", "<choice>"):
        last = next((each for each in reversed(masked) if mask in each), "")
        found[f"{head}|last {mask}|{last}"] = 1
    joint = [next((each for each in reversed(masked) if mask in each), "") for mask in ("<0>", "<choice>")]
    found[f"{head}|last of both|{joint}"] = 1
    return found


def _masked(sentence: str, masks: Mapping[str, str], choice: str, choices: Sequence[str]) -> str:
    for name in sorted(choices, key=len, reverse=True):
        sentence = re.sub(rf"\b{re.escape(name)}\b", "<choice>" if name == choice else "<other>", sentence)
    words = re.findall(r"<\w+>|\w+", sentence)
    kept = [masks.get(word) or ("P" if word.istitle() else word) for word in words]
    return " ".join(word for word in kept if word in KEPT_WORDS or word == "P" or word.startswith("<"))


def training_questions(folder: Path) -> Iterator[tuple[list[Counter[str]], int]]:
    """Yields the features of each choice, and the index of the right one, of every conversation to train on."""
    for line in (folder / "chat" / "train.jsonl").read_text("utf-8").splitlines():
        asked, reply = json.loads(line)["messages"]
        match = ASKED.search(asked["content"])
        assert match
        story, question = match[1], match[2]
        choices = json.loads(f"[{match[3]}]")
        options = [features(story, question, choice, choices) for choice in choices]
        yield options, choices.index(json.loads(reply["content"])["answer"])


def trained(folder: Path) -> LogisticChooser:
    """A learner that has seen the conversations of a folder, in their order, `ROUNDS` times."""
    chooser, questions = LogisticChooser(), list(training_questions(folder))
    for _ in range(ROUNDS):
        for options, right in questions:
            chooser.learn(options, right)
    return chooser


def accuracies(chooser: LogisticChooser, items: Sequence[ReadItem]) -> Mapping[str, float]:
    """The shares of right answers: of all questions, of the interesting ones, and of those about false beliefs."""
    rights: defaultdict[str, list[bool]] = defaultdict(list)
    for item in items:
        odds = chooser.odds([features(item.story, item.question, one, item.choices) for one in item.choices])
        is_right = item.choices[odds.index(max(odds))] == item.answer
        for kind, counts in (("all", True), ("interesting", item.interesting), ("false belief", item.false_belief)):
            if counts:
                rights[kind].append(is_right)
    return {kind: sum(found) / len(found) for kind, found in rights.items()}


def main(folders: Sequence[Path]) -> None:
    """Prints the accuracies of a learner without training, and after training on each folder."""
    items = [item for item in read_items(folders[0] / "literal" / "test.jsonl") if item.about != "whereabouts"]
    print(f"{len(items):,} questions to evaluate on\n{'':24}     all  interesting  false belief")
    for name, chooser in (("untrained", LogisticChooser()), *((each.name, trained(each)) for each in folders)):
        rates = accuracies(chooser, items)
        print(f"{name:24}   {rates['all']:.3f}        {rates['interesting']:.3f}         {rates['false belief']:.3f}")


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])

"""Exported sets as other tools read them: datasets, inspect_ai and lm-evaluation-harness, each with a model that reads.

These need the extra `evals`; `make test-evals` runs them by name.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from datasets import load_dataset
from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai._eval.loader import scorer_from_spec, solver_from_spec
from inspect_ai._eval.task.hf import HFTask, _record_to_sample_hf
from inspect_ai.dataset import hf_dataset
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer._scorer import ScorerSpec
from inspect_ai.solver._solver import SolverSpec
from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

from hm_agent.seats.inspect_tasks import play
from hm_agent.worlds.exploretom.datasets.export_command import main as export
from hm_agent.worlds.exploretom.datasets.item import read_items
from hm_agent.worlds.exploretom.readers.reading import answer_from_text

CONFIGS = ("literal", "functional")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("sets") / "small"
    flags = ("--action_sets=a1,a5_asymmetric,a8", "--stories=10", "--training", "--parquet")
    assert export((*flags, f"--out={out}")) == 0
    return out


@pytest.fixture(autouse=True)
def own_caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def read_and_answer(prompt: str, question: str) -> str:
    """The answer that the words of a prompt give, read as any model would have to."""
    story = re.search(r"# The story\n(.*?)\n\nHow to read it:", prompt, re.DOTALL)
    assert story, prompt
    return answer_from_text(story[1], question, sees_contents=False)


def test_datasets_loads_every_config_of_the_card(folder: Path) -> None:
    card = yaml.safe_load((folder / "README.md").read_text("utf-8").split("---\n")[1])
    for config in card["configs"]:
        loaded = load_dataset(str(folder), config["config_name"])
        assert set(loaded) == {file["split"] for file in config["data_files"]}
    literal = load_dataset(str(folder), "literal", split="test")
    assert [row["id"] for row in literal] == [item.id for item in read_items(folder / "literal" / "test.jsonl")]
    parquet = load_dataset("parquet", data_files=str(folder / "parquet" / "literal" / "test.parquet"), split="train")
    assert parquet["trace"] == literal["trace"]


class ReadingModel:
    """Answers inspect_ai's multiple-choice prompts; always A if it does not read."""

    def __init__(self, *, reads: bool = True) -> None:
        self._reads = reads

    def __call__(self, messages: Any, *_: object) -> ModelOutput:
        prompt = messages[-1].text
        choices = dict(re.findall(r"^([A-H])\) (.+)$", prompt, re.MULTILINE))
        question = re.findall(r"^(.+\?.*)\n\nA\) ", prompt, re.MULTILINE)[-1]
        answer = read_and_answer(prompt, question) if self._reads else choices["A"]
        letter = next(name for name, choice in choices.items() if choice == answer)
        return said(f"ANSWER: {letter}")


def said(text: str) -> ModelOutput:
    """What a model says, with a usage: without one inspect_ai counts tokens, with a file that it downloads."""
    output = ModelOutput.from_content("mockllm/model", text)
    output.usage = ModelUsage()
    return output


def run(task: Task, tmp_path: Path, *, reads: bool = True) -> EvalLog:
    model = get_model("mockllm/model", custom_outputs=ReadingModel(reads=reads), memoize=False)
    log = evaluate(task, model=model, display="none", log_dir=str(tmp_path))[0]
    assert log.status == "success", log.error
    return log


def accuracy_of(log: EvalLog) -> float:
    assert log.results
    return float(log.results.scores[0].metrics["accuracy"].value)


def test_inspect_reads_a_set_by_the_packages_own_prompts(folder: Path, tmp_path: Path) -> None:
    def answer(messages: Any, *_: object) -> ModelOutput:
        prompt = messages[0].text
        question = re.findall(r"# The question\n(.+)\nChoose one: ", prompt)[0]
        return said(json.dumps({"answer": read_and_answer(prompt, question)}))

    model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
    task = play("exploretom_dataset", "reader", episodes=2, dataset=str(folder / "literal" / "test.jsonl"))
    (log,) = evaluate(task, model=model, display="none", log_dir=str(tmp_path))
    assert [sample.scores and sample.scores["measure"].value for sample in log.samples or []] == [1.0, 1.0]


def test_eval_yaml_makes_the_tasks_that_the_hub_runs(folder: Path, tmp_path: Path) -> None:
    described = yaml.safe_load((folder / "eval.yaml").read_text("utf-8"))
    tasks = [HFTask.model_validate(task) for task in described["tasks"]]
    assert [task.id for task in tasks] == list(CONFIGS)
    for task in tasks:
        spec = task.field_spec
        dataset = hf_dataset(
            str(folder),
            name=task.config,
            split=task.split,
            sample_fields=lambda record, spec=spec: _record_to_sample_hf(record, spec),
        )
        solvers = [
            solver_from_spec(SolverSpec(solver=one.name, args=one.args, args_passed=one.args)) for one in task.solvers
        ]
        scorers = [scorer_from_spec(ScorerSpec(scorer=one.name), task_path=None, **one.args) for one in task.scorers]
        assert accuracy_of(run(Task(dataset=dataset, solver=solvers, scorer=scorers), tmp_path)) == 1


class ReadingLikelihoods(LM):
    """Finds the right choice likely and others not."""

    def loglikelihood(self, requests: list[Any], disable_tqdm: bool = False) -> list[tuple[float, bool]]:
        found = []
        for context, continuation in (request.args for request in requests):
            question = re.findall(r"^Question: (.+)\nAnswer:$", context, re.MULTILINE)[-1]
            is_right = continuation.strip() == read_and_answer(context, question)
            found.append((0.0 if is_right else -9.0, is_right))
        return found

    def loglikelihood_rolling(self, requests: list[Any], disable_tqdm: bool = False) -> list[float]:
        raise AssertionError("not asked of multiple choice")

    def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:
        raise AssertionError("not asked of multiple choice")


@pytest.mark.parametrize("config", CONFIGS)
def test_lm_evaluation_harness_runs_the_task(folder: Path, monkeypatch: pytest.MonkeyPatch, config: str) -> None:
    monkeypatch.chdir(folder)
    manager = TaskManager(include_path=str(folder / "lm_eval"), include_defaults=False)
    found = simple_evaluate(
        model=ReadingLikelihoods(), tasks=[f"exploretom_{config}"], task_manager=manager, bootstrap_iters=0
    )
    assert found is not None
    assert found["results"][f"exploretom_{config}"]["acc,none"] == 1
    asked = len(read_items(folder / config / "test.jsonl"))
    assert found["n-samples"][f"exploretom_{config}"]["original"] == asked

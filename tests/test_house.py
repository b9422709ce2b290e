"""The rules of the house, by what its modules import."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "hm_agent"
WINGS = sorted(path.name for path in (PACKAGE / "worlds").iterdir() if (path / "__init__.py").is_file())


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


class Imports(ast.NodeVisitor):
    """Collects what a module imports. now: when it is imported itself; all: also later, within its functions.

    classes: the names of those that it defines.
    """

    def __init__(self) -> None:
        self.classes: list[str] = []
        self.now: set[str] = set()
        self.all: set[str] = set()
        self._depth = 0

    def _add(self, *names: str) -> None:
        self.all |= set(names)
        self.now |= set(names) if self._depth == 0 else set()

    def visit_Import(self, node: ast.Import) -> None:
        self._add(*(alias.name for alias in node.names))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        inner = {f"{module}.{alias.name}" for alias in node.names}
        self._add(*(inner & MODULES.keys() or {module}))

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.classes.append(node.name)
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        if ast.unparse(node.test) != "TYPE_CHECKING":
            self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._depth += 1
        self.generic_visit(node)
        self._depth -= 1

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815 - the name is the base class's


@cache
def imports_of(path: Path) -> Imports:
    found = Imports()
    found.visit(ast.parse(path.read_text("utf-8")))
    return found


def imports(module: str) -> set[str]:
    return imports_of(MODULES[module]).all


def is_in(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def modules_of(package: str) -> list[str]:
    return [module for module in MODULES if is_in(module, package)]


def needed(module: str) -> set[str]:
    """All modules of the package that are imported with a module."""
    found, waiting = set[str](), [module]
    while waiting:
        new = (imports_of(MODULES[waiting.pop()]).now & MODULES.keys()) - found
        found |= new
        waiting += new
    return found


def test_imports_have_no_cycle() -> None:
    circles = [module for module in MODULES if module in needed(module)]
    assert circles == []


@pytest.mark.parametrize("wing", WINGS)
def test_nothing_outside_a_wing_imports_it(wing: str) -> None:
    inside = f"hm_agent.worlds.{wing}"
    for module in MODULES:
        if not is_in(module, inside):
            assert not [name for name in imports(module) if is_in(name, inside)], module


def test_nothing_else_in_the_package_imports_what_tests_of_agents_need() -> None:
    for module in MODULES:
        if not is_in(module, "hm_agent.testing"):
            assert not [name for name in imports(module) if is_in(name, "hm_agent.testing")], module


def test_the_package_imports_no_tests() -> None:
    for module in MODULES:
        assert not [name for name in imports(module) if is_in(name, "tests")], module


def test_no_wing_imports_another() -> None:
    for wing in WINGS:
        for module in modules_of(f"hm_agent.worlds.{wing}"):
            others = [name for name in imports(module) if is_in(name, "hm_agent.worlds")]
            assert all(is_in(name, f"hm_agent.worlds.{wing}") for name in others), module


@pytest.mark.parametrize("package", ["hm_agent.recording", "hm_agent.reporting", "hm_agent.pages"])
def test_recording_and_reporting_import_no_agent_and_no_world(package: str) -> None:
    for module in modules_of(package):
        for name in imports(module) | needed(module):
            assert not is_in(name, "hm_agent.agents"), f"{module} imports {name}"
            assert not is_in(name, "hm_agent.worlds"), f"{module} imports {name}"


def test_core_needs_no_numpy() -> None:
    assert not {name for name in imports("hm_agent.core") if name.split(".")[0] == "numpy"}
    assert needed("hm_agent.core") == {"hm_agent.bounds", "hm_agent.questions"}


def test_only_the_simulator_imports_melting_pot() -> None:
    for module in MODULES:
        if not (is_in(module, "hm_agent.worlds.melting_pot") and "simulator" in module.split(".")):
            assert not {name for name in imports(module) if name.split(".")[0] in ("meltingpot", "dmlab2d")}, module


def test_a_simulator_of_games_comes_after_the_wings_own_without_which_melting_pot_loads_tensorflow() -> None:
    wing = "hm_agent.worlds.melting_pot"
    own = [module for module in modules_of(f"{wing}.games") if module.endswith(".simulator")]
    assert len(own) >= 3
    for module in own:
        assert f"{wing}.simulator" in imports(module), module


def test_a_kind_of_games_is_known_by_its_own_folder_and_the_table_alone() -> None:
    games = "hm_agent.worlds.melting_pot.games"
    folders = [name.removesuffix(".kind") for name in modules_of(games) if name.endswith(".kind")]
    folders.remove(games)
    assert len(folders) >= 2
    for folder in folders:
        for module in MODULES:
            if not is_in(module, folder) and module != games:
                assert not [name for name in imports(module) if is_in(name, folder)], module


def test_importing_a_suite_imports_no_simulator() -> None:
    for wing in WINGS:
        assert not [name for name in needed(f"hm_agent.worlds.{wing}.suite") if ".simulator" in name]


def test_tests_and_package_import_no_benchmarks() -> None:
    for path in [*(ROOT / "tests").rglob("*.py"), *MODULES.values()]:
        assert not {name for name in imports_of(path).all if is_in(name, "benchmarks")}, path


def repeated(names: Mapping[str, int], most: int) -> dict[str, int]:
    return {name: count for name, count in names.items() if count > most}


def test_no_class_name_stands_twice() -> None:
    assert repeated(Counter(name for path in MODULES.values() for name in imports_of(path).classes), 1) == {}


def test_no_file_name_stands_often() -> None:
    every_wing_has = {"__init__.py", "own_agents.py", "scenarios.py", "suite.py", "world.py"}
    names = Counter(path.name for path in MODULES.values() if path.name not in every_wing_has)
    assert repeated(names, 3) == {}


SPEAKERS = [
    "hm_agent.agents.planning_body",
    "hm_agent.agents.written_body",
    "hm_agent.models.answer_parsing",
    "hm_agent.theory_of_mind",
    "hm_agent.written_calls",
    *(f"hm_agent.worlds.{wing}.language" for wing in ("enacttom", "matrix_games", "symmtom")),
    "hm_agent.worlds.exploretom.infilling",
    "hm_agent.worlds.exploretom.readers",
    "hm_agent.worlds.melting_pot.body",
    "hm_agent.worlds.melting_pot.games",
    "hm_agent.worlds.melting_pot.planning",
]
"""The modules that ask for plans and check answers, so that a model reads what they say."""
REPORTS = {"CallError", "ValueError", "BadAnswer", "PlanEnd"}
"""The classes whose messages a model reads, as the class is written in the modules that do so."""
REASONS = re.compile("_?(why|reason|refusal|problem|what_is_gone)")
"""The beginning of the name of a function that returns a reason or a refusal."""
SEVERAL_WORDS = re.compile(r"[A-Za-z']{2,} [a-z']{2,}")


def sentences(node: ast.AST) -> list[str]:
    """The texts of several words in a part of a module."""
    texts = (each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str))
    return [text for text in texts if SEVERAL_WORDS.search(text)]


def said_to_models(tree: ast.AST) -> Iterator[str]:
    """The texts of several words that are given to REPORTS, or returned by functions named as REASONS says."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in REPORTS:
            yield from sentences(node)
        if isinstance(node, ast.FunctionDef) and REASONS.match(node.name):
            for inner in ast.walk(node):
                if isinstance(inner, ast.Return | ast.Yield | ast.Assign):
                    yield from sentences(inner)


def test_reasons_and_refusals_that_models_read_stand_in_prompts() -> None:
    silent = {"reasoner", "simulator"}  # one answers in a model's place, the other reads files and plays bots
    spoken = [module for module in MODULES if silent.isdisjoint(module.split("."))]
    modules = [module for module in spoken for speaker in SPEAKERS if is_in(module, speaker)]
    assert all(any(is_in(module, speaker) for module in modules) for speaker in SPEAKERS)
    found = {module: list(said_to_models(ast.parse(MODULES[module].read_text("utf-8")))) for module in modules}
    assert {module: texts for module, texts in found.items() if texts} == {}


@pytest.mark.parametrize(
    "line",
    [
        "raise CallError(f'{call} is not in your room')",
        "end = PlanEnd('no way leads there', call)",
        "def why_replan(): return 'an interaction is over' if events else None",
        "def _problems(): yield f'call {number}: no pot stands there'",
    ],
)
def test_a_reason_that_is_written_in_python_is_found(line: str) -> None:
    assert list(said_to_models(ast.parse(line)))


def test_every_reason_and_refusal_in_prompts_is_asked_for_by_its_name() -> None:
    package = "".join(path.read_text("utf-8") for path in MODULES.values())
    files = [path for path in (ROOT / "prompts").rglob("*.j2") if path.stem in ("messages", "unreadable")]
    prompts = "".join(path.read_text("utf-8") for path in files)
    written = re.findall(r"{% macro (\w+)", prompts)
    asked = re.findall(r"\b(?:_problem|_?reason|_refusal)\(\s*\"(\w+)\"", package)
    assert len(asked) > 50
    assert set(asked) <= set(written)
    assert [name for name in written if f'"{name}"' not in package and prompts.count(f"{name}(") < 2] == []

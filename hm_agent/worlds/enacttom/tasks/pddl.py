"""Reads the PDDL of a problem: objects, initial state, a goal with nested K operators, private goals.

    (define (problem tidy_up) (:domain enacttom)
      (:objects agent_0 agent_1 - agent  hall_1 - room  table_1 - furniture  bowl_1 - object)
      (:init (agent_in_room agent_0 hall_1) (is_in_room table_1 hall_1) (is_on_top bowl_1 table_1) ...)
      (:goal (and (is_on_top bowl_1 table_1) (K agent_1 (K agent_0 (is_on_top bowl_1 table_1)))))
      (:goal-owners (agent_1 (is_open cabinet_2))))

`:goal` is the goal that all agents share; `:goal-owners` holds private goals of single agents. Goals are conjunctions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hm_agent.config import ConfigError
from hm_agent.worlds.enacttom.tasks.propositions import (
    MECHANIC,
    MOST_DEPTH,
    OPPOSITE,
    PHYSICAL,
    ROOM,
    TYPES,
    Claim,
    Is,
    Proposition,
    normalised_claim,
    wanted,
)
from hm_agent.written_calls import shortened

KNOWS = "K"
LONGEST_NAME = 60
MOST_ROOMS, MOST_NAMES, MOST_CHARACTERS = 30, 300, 100_000
"""How many rooms, how many names of any kind, and how many characters a problem has at most."""
RESERVED = ("all", "nothing", "you")
"""Words that can't be names, since commands and prompts use them: for all agents, for no object, for the reader."""
_NAME = re.compile(rf"[a-z][\w-]{{0,{LONGEST_NAME - 1}}}", re.ASCII)
_TOKEN = re.compile(r"[()]|[^\s();]+|;[^\n]*|\n")
_SECTIONS = (":domain", ":objects", ":init", ":goal", ":goal-owners", ":requirements")
_MOST_NESTED = 50
_UNSUPPORTED = {
    "or": "a goal is a conjunction",
    "imply": "a goal is a conjunction",
    "forall": "name each thing instead",
    "exists": "name the thing instead",
    "when": "effects belong to the mechanics",
    "preference": "every goal is hard",
    "and": "a conjunction stands outside of K",
    KNOWS: "knowledge stands in the goal alone",
    "=": "numbers and equality have no meaning here",
}


class TaskError(ConfigError):
    """A task that can't be played or proved; the message says in one line what is wrong."""


class PddlError(TaskError):
    """Invalid or unsupported PDDL; the message names the line."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"problem_pddl, line {line}: {message}")


@dataclass(frozen=True)
class Expression:
    """An atom (text, without items) or a list (items, without text), and the line where it begins."""

    line: int
    text: str = ""
    items: tuple[Expression, ...] = ()

    @property
    def is_list(self) -> bool:
        return not self.text

    @property
    def head(self) -> str:
        return self.items[0].text if self.items else ""

    def __str__(self) -> str:
        return self.text or f"({' '.join(map(str, self.items))})"


@dataclass(frozen=True)
class Stated:
    """A claim and the line that states it. is_denied: True for a conjunct that must never hold: (not (K ...))."""

    claim: Claim
    line: int
    is_denied: bool = False


@dataclass(frozen=True)
class PddlProblem:
    """A problem as it was read.

    objects: every name with its type, in order. init: the initial state. goal: the shared conjuncts. owned: the private
    conjuncts of each agent that has some.
    """

    name: str
    objects: Mapping[str, str]
    init: Sequence[Stated]
    goal: Sequence[Stated]
    owned: Mapping[str, Sequence[Stated]]


def read_expressions(text: str) -> list[Expression]:
    """Parses a text into expressions; raises PddlError for brackets that don't match or are nested too deep."""
    stack: list[tuple[int, list[Expression]]] = [(1, [])]
    for line, token in _tokens(text):
        if token == "(":
            if len(stack) > _MOST_NESTED:
                raise PddlError(line, f"brackets are nested more than {_MOST_NESTED} deep")
            stack.append((line, []))
        elif token == ")":
            if len(stack) == 1:
                raise PddlError(line, "this ')' closes nothing")
            opened, items = stack.pop()
            stack[-1][1].append(Expression(opened, items=tuple(items)))
        else:
            stack[-1][1].append(Expression(line, text=token))
    if len(stack) > 1:
        raise PddlError(stack[-1][0], "this '(' is never closed")
    return stack[0][1]


def _tokens(text: str) -> Iterator[tuple[int, str]]:
    """Yields each token with its line, comments left out."""
    line = 1
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token == "\n":
            line += 1
        elif not token.startswith(";"):
            # PDDL ignores case; the operator K is written as in the paper.
            yield line, KNOWS if token in ("K", "k") else token.lower()


def read_problem(text: str) -> PddlProblem:
    """Reads a problem; raises PddlError for anything invalid or unsupported."""
    if len(text) > MOST_CHARACTERS:
        raise PddlError(1, f"a problem has at most {MOST_CHARACTERS:,} characters, and this one {len(text):,}")
    expressions = read_expressions(text)
    if len(expressions) != 1 or expressions[0].head != "define":
        raise PddlError(1, "a problem is one (define (problem NAME) ...)")
    define = expressions[0]
    if len(define.items) < 2 or define.items[1].head != "problem" or len(define.items[1].items) != 2:
        raise PddlError(define.line, "after 'define' comes (problem NAME)")
    sections = _sections(define.items[2:])
    missing = [name for name in (":objects", ":init", ":goal") if name not in sections]
    if missing:
        raise PddlError(define.line, f"there is no {missing[0]}")
    objects = _objects(sections[":objects"].items[1:])
    rooms = [*objects.values()].count(ROOM)
    if len(objects) > MOST_NAMES or rooms > MOST_ROOMS:
        raise PddlError(
            define.line,
            f"a problem has at most {MOST_NAMES} names in :objects, {MOST_ROOMS} of them rooms, and this one "
            f"{len(objects)}, {rooms} of them rooms",
        )
    return PddlProblem(
        name=define.items[1].items[1].text,
        objects=objects,
        init=tuple(_init(sections[":init"].items[1:], objects)),
        goal=tuple(_goal(sections[":goal"], objects)),
        owned=_owned(sections[":goal-owners"].items[1:], objects) if ":goal-owners" in sections else {},
    )


def _sections(expressions: Iterable[Expression]) -> dict[str, Expression]:
    sections: dict[str, Expression] = {}
    for expression in expressions:
        if expression.head not in _SECTIONS:
            raise PddlError(expression.line, f"{expression.head or expression} is not supported")
        if expression.head in sections:
            raise PddlError(expression.line, f"{expression.head} is given twice")
        sections[expression.head] = expression
    return sections


def _check_name(name: Expression) -> None:
    """Raises PddlError for a name that is malformed or reserved: commands and sentences could be misread."""
    if not _NAME.fullmatch(name.text) or name.text in RESERVED:
        raise PddlError(
            name.line,
            f"{shortened(name.text)} can't be a name: write a letter, then letters, digits, _ and -, at most "
            f"{LONGEST_NAME} in all, and none of {', '.join(RESERVED)}",
        )


def _objects(items: Sequence[Expression]) -> dict[str, str]:
    """Reads typed lists, `name ... - type ...`, into the type of each name."""
    objects: dict[str, str] = {}
    untyped: list[Expression] = []
    position = 0
    while position < len(items):
        item = items[position]
        if item.text == "-":
            kind = items[position + 1].text if position + 1 < len(items) else ""
            if kind not in TYPES:
                raise PddlError(item.line, f"unknown type {kind!r}: types are {', '.join(TYPES)}")
            for name in untyped:
                _check_name(name)
                if name.text in objects:
                    raise PddlError(name.line, f"{name.text} is declared twice")
                objects[name.text] = kind
            untyped, position = [], position + 2
        else:
            if item.is_list:
                raise PddlError(item.line, f"{item} is no name")
            untyped.append(item)
            position += 1
    if untyped:
        raise PddlError(untyped[0].line, f"{untyped[0].text} has no type: write '{untyped[0].text} - object'")
    return objects


def _init(items: Sequence[Expression], objects: Mapping[str, str]) -> Iterator[Stated]:
    for item in items:
        if item.head == "not":
            raise PddlError(item.line, "'not' in :init is not supported: whatever is not stated is false")
        if item.head == KNOWS:
            raise PddlError(item.line, "K in :init is not supported: state what agents know in secret_facts")
        yield Stated(Claim((), read_proposition(item, objects, PHYSICAL | MECHANIC)), item.line)


def _goal(section: Expression, objects: Mapping[str, str]) -> Iterator[Stated]:
    if len(section.items) != 2:
        raise PddlError(section.line, ":goal holds one formula")
    yield from _conjuncts(section.items[1], objects)


def _owned(items: Iterable[Expression], objects: Mapping[str, str]) -> dict[str, tuple[Stated, ...]]:
    owned: dict[str, tuple[Stated, ...]] = {}
    for item in items:
        if len(item.items) != 2 or objects.get(item.head) != "agent":
            raise PddlError(item.line, f"{item} in :goal-owners is no (AGENT GOAL)")
        owned[item.head] = (*owned.get(item.head, ()), *_conjuncts(item.items[1], objects))
    return owned


def _conjuncts(expression: Expression, objects: Mapping[str, str]) -> Iterator[Stated]:
    if expression.head == "and":
        for part in expression.items[1:]:
            yield from _conjuncts(part, objects)
    elif expression.head == "not" and len(expression.items) == 2 and expression.items[1].head == KNOWS:
        yield Stated(read_claim(expression.items[1], objects), expression.line, is_denied=True)
    else:
        yield Stated(read_claim(expression, objects), expression.line)


def read_claim(expression: Expression, objects: Mapping[str, str]) -> Claim:
    """Reads a proposition under at most `MOST_DEPTH` K operators."""
    knowers: list[str] = []
    while expression.head == KNOWS:
        if len(expression.items) != 3:
            raise PddlError(expression.line, f"K takes an agent and a formula, not {expression}")
        knower = expression.items[1]
        if objects.get(knower.text) != "agent":
            raise PddlError(knower.line, f"K names {knower}, who is no agent")
        knowers.append(knower.text)
        expression = expression.items[2]
    known = normalised_claim(knowers, read_proposition(expression, objects, PHYSICAL))
    if known.depth > MOST_DEPTH:
        raise PddlError(expression.line, f"K is nested {known.depth} deep; at most {MOST_DEPTH} is supported")
    return known


def read_proposition(
    expression: Expression, objects: Mapping[str, str], allowed: Mapping[str, tuple[tuple[str, ...], ...]]
) -> Proposition:
    """Reads a proposition about declared names; `(not (is_open x))` is is_closed, and vice versa.

    allowed: the predicates that may occur, with the types of their arguments.
    """
    head, line = expression.head, expression.line
    if not expression.is_list or not head:
        raise PddlError(line, f"{expression} is no proposition")
    if head == "not":
        return _read_negation(expression, objects, allowed)
    if head == Is.WANTED and len(expression.items) == 2:
        return wanted(read_proposition(expression.items[1], objects, PHYSICAL))
    if head not in allowed:
        why = _UNSUPPORTED.get(head, f"there are the predicates {', '.join(allowed)}")
        raise PddlError(line, f"'{head}' is not supported here: {why}")
    names = tuple(item.text for item in expression.items[1:])
    _check_arguments(expression, names, objects, allowed[head])
    return Proposition(head, names)


def _check_arguments(
    expression: Expression, names: tuple[str, ...], objects: Mapping[str, str], types: tuple[tuple[str, ...], ...]
) -> None:
    if len(names) != len(types):
        raise PddlError(expression.line, f"{expression.head} takes {len(types)} arguments, not {len(names)}")
    for name, kinds in zip(names, types, strict=True):
        if name not in objects:
            raise PddlError(expression.line, f"unknown name {name or '()'} in {expression}")
        if objects[name] not in kinds:
            raise PddlError(
                expression.line, f"{name} in {expression} is of type {objects[name]}, not {' or '.join(kinds)}"
            )


def _read_negation(
    expression: Expression, objects: Mapping[str, str], allowed: Mapping[str, tuple[tuple[str, ...], ...]]
) -> Proposition:
    inner = expression.items[1] if len(expression.items) == 2 else expression
    if inner.head not in OPPOSITE:
        raise PddlError(expression.line, f"'not' is only supported of is_open and is_closed, not of {inner}")
    return read_proposition(inner, objects, allowed).opposite

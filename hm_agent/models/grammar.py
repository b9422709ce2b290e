"""Translates the JSON schemas of answers into grammars (GBNF) for llama.cpp: it then generates only such answers.

llama.cpp's own translation leaves numbers unbounded and allows blanks between any two parts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hm_agent.models.patterns import pattern_parts

_CHARACTER = r"[ !#-\[\]-~]"
"""A character of a text: printable ASCII that JSON does not escape."""


def grammar_of(schema: Mapping[str, Any], longest_text: int) -> str:
    """Returns the grammar of the answers of a closed schema, as JSON without blanks.

    longest_text: the most characters of a text, where the schema allows more. Raises ValueError for a schema that is
    not closed.
    """
    grammar = _Grammar(schema.get("$defs", {}), longest_text)
    root = grammar.rule(schema)
    return "\n".join([f"root ::= {root}", *(f"{name} ::= {rule}" for rule, name in grammar.parts.items())])


class _Grammar:
    """Builds rules. parts: the names of rules by their right sides: llama.cpp limits repetitions within repetitions."""

    def __init__(self, named: Mapping[str, Any], longest: int) -> None:
        self._named, self._longest = named, longest
        self.parts: dict[str, str] = {}

    def rule(self, schema: Mapping[str, Any]) -> str:
        """Returns the right side of a schema's rule, in brackets where it has alternatives."""
        if "$ref" in schema:
            return self.rule(self._named[schema["$ref"].rpartition("/")[2]])
        if "anyOf" in schema:
            return _alternatives([self.rule(part) for part in schema["anyOf"]])
        match schema.get("type"):
            case "object":
                fields = {json.dumps(name): self.rule(part) for name, part in schema["properties"].items()}
                pairs = '"," '.join(f"{_literal(f'{name}:')} {rule} " for name, rule in fields.items())
                return f'"{{" {pairs}"}}"'
            case "array":
                starts = [self.rule(part) for part in schema.get("prefixItems", ())]
                item = self._named_rule(self.rule(schema["items"]))
                return _list(starts, item, schema.get("minItems", 0), schema["maxItems"])
            case "string" if not schema.keys() & {"enum", "const"}:
                return f'"\\"" {self._text(schema)} "\\""'
        return _alternatives([_literal(json.dumps(value)) for value in _allowed_values(schema)])

    def _named_rule(self, rule: str) -> str:
        """Returns the name of a rule by its right side; adds the rule if it is new."""
        return self.parts.setdefault(rule, f"part-{len(self.parts) + 1}")

    def _text(self, schema: Mapping[str, Any]) -> str:
        if "pattern" in schema:
            return self._from_pattern(schema["pattern"])
        return self._repetition(_CHARACTER, 0, schema["maxLength"])

    def _repetition(self, characters: str, least: int, most: int) -> str:
        return self._named_rule(f"{characters}{{{least},{min(most, self._longest)}}}")

    def _from_pattern(self, pattern: str) -> str:
        """Translates a regular expression made of plain text, groups, alternatives, and classes with a repetition."""
        rule = []
        for kind, part in pattern_parts(pattern):
            match kind:
                case "group":
                    rule.append(part)
                case "several":
                    rule.append(self._class(part))
                case "plain":
                    rule.append(_literal(part))
        return f"({' '.join(rule)})"

    def _class(self, part: str) -> str:
        """Translates a class of characters; a negated one becomes `_CHARACTER`, since no pattern excludes more."""
        characters, _, times = part.partition("]")
        allowed = _CHARACTER if characters.startswith("[^") else f"{characters}]"
        if not times:
            return allowed
        least, most = map(int, times.strip("{}").split(","))
        return self._repetition(allowed, least, most)


def _allowed_values(schema: Mapping[str, Any]) -> Sequence[Any]:
    """Returns all values of a schema that allows only a few; raises ValueError for any other schema."""
    match schema:
        case {"enum": values}:
            return list(values)
        case {"const": value}:
            return [value]
        case {"type": "integer", "minimum": least, "maximum": most}:
            return range(least, most + 1)
        case {"type": "boolean"}:
            return [True, False]
        case {"type": "null"}:
            return [None]
    raise ValueError(f"no grammar for {json.dumps(schema)[:80]}: its values have no bounds")


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _alternatives(rules: list[str]) -> str:
    return f"({' | '.join(rules)})"


def _list(starts: list[str], item: str, least: int, most: int) -> str:
    """Returns the rule of a list. starts: the rules of its first items, if they have their own."""
    if most == 0:
        return '"[]"'
    first = (starts or [item])[:most]
    least_further, most_further = max(least - len(first), 0), most - len(first)
    rule = f' ("," {item}){{{least_further},{most_further}}}' if most_further else ""
    for number, start in reversed(list(enumerate(first))):
        comma, optional = '"," ' if number else "", "" if number < least else "?"
        rule = f" ({comma}{start}{rule}){optional}"
    return f'"["{rule} "]"'

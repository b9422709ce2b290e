"""Tells a model's thinking from its answer, in the spellings of the models that write it into their text."""

from __future__ import annotations

import re

_NAMES = r"(?:think|thinking|thoughts?|reasoning|reflection|analysis|scratchpad|seed:think)"
_OPENINGS = (
    rf"<(?i:{_NAMES})>",  # DeepSeek, Qwen, GLM, Phi; EXAONE; Seed-OSS; Marco
    r"\[THINK\]",  # Magistral
    r"◁think▷",  # Kimi
    r"<\|begin_of_thought\|>",  # Sky
    r"<\|START_THINKING\|>",  # Command
    r"(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)",  # gpt-oss
    r"<\|channel>thought",  # Gemma
    r"<unused94>thought",  # MedGemma
    r"Here is my thought process:",  # Granite
    r"Here are my reasoning steps:",  # Apriel
)
_CLOSINGS = (
    rf"</(?i:{_NAMES})>",
    r"\[/THINK\]",
    r"◁/think▷",
    r"<\|end_of_thought\|>",
    r"<\|END_THINKING\|>",
    r"<\|channel\|>final",
    r"<channel\|>",
    r"<unused95>",
    r"Here is my response:",
    r"\[BEGIN FINAL RESPONSE\]",
)
# Only at the beginning of a line, so that an answer may mention an opening.
_MARK = re.compile(rf"^[ \t]*(?P<opening>{'|'.join(_OPENINGS)})|(?P<closing>{'|'.join(_CLOSINGS)})", re.MULTILINE)
OPENING = "<think>"
_FENCE = re.compile(r"```\w*")


def end_of_thinking(text: str) -> int:
    """Returns where the last closed thinking ends, 0 without any; its opening may stand in the prompt."""
    return max((mark.end() for mark in _MARK.finditer(text) if mark["closing"]), default=0)


def unclosed_thinking(text: str) -> int | None:
    """Returns where the thinking begins that a text ends in; None if it does not."""
    begun = None
    for mark in _MARK.finditer(text):
        if mark["closing"]:
            begun = None
        elif begun is None:
            begun = mark.start("opening")
    return begun


def may_be_unmarked(text: str) -> bool:
    """True if a text that was cut off may be all thinking, whose opening stands in the prompt and closing is missing.

    Then words stand on both sides of the JSON that may be a draft of an answer.
    """
    before, _, rest = text.partition("{")
    _, closed, after = rest.rpartition("}")
    has_words = [bool(_FENCE.sub("", side).strip()) for side in (before, after)]
    return bool(closed) and all(has_words) and not end_of_thinking(text)

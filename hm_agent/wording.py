"""Formats numbers and lists for tables and sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hm_agent.questions import Usage

NOTHING = "-"
MOST_DIGITS = 6
"""The most decimals of an interval's end: what is closer to 0 is shown as 0."""
FEW_HAVE_NONE = "fewer than five episodes have no interval"


def number(value: float | None, digits: int = 1) -> str:
    """Rounds a number; never a negative zero; `-` for None."""
    return NOTHING if value is None else f"{round(value, digits) + 0.0:,.{digits}f}"


def with_error(value: float | None, error: float | None, digits: int = 1) -> str:
    if value is None or error is None:
        return number(value, digits)
    return f"{number(value, digits)} ± {number(error, digits)}"


def interval(ends: tuple[float, float] | None, digits: int = 1) -> str:
    """`0.4 to 2.9`; an end that is close to 0 gets the further decimals that tell it from 0."""
    return NOTHING if ends is None else " to ".join(_apart_from_zero(end, digits) for end in ends)


def with_interval(value: float, ends: tuple[float, float] | None, digits: int = 1) -> str:
    """`3.1 (1.2 to 5.0)`; the interval only if there is one."""
    return number(value, digits) + (f" ({interval(ends, digits)})" if ends else "")


def _apart_from_zero(value: float, digits: int) -> str:
    """Rounds a number, with further decimals if it would be 0, up to MOST_DIGITS."""
    shown = next((more for more in range(digits, MOST_DIGITS + 1) if round(value, more)), digits)
    return number(value, shown)


def percent(value: float | None) -> str:
    """A share between 0 and 1: `83%`."""
    return NOTHING if value is None else f"{number(100 * value, 0)}%"


def p_value(value: float) -> str:
    """`p = .012`, `p < .001`."""
    return "p < .001" if value < 0.0005 else f"p = {value:.3f}".replace("0.", ".", 1)


def known(value: float | None, digits: int = 0) -> str:
    """A count or a cost, `unknown` for None."""
    return "unknown" if value is None else number(value, digits)


def counted(count: int, noun: str) -> str:
    """`1 episode`, `2 episodes`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def share_of(count: int, of: int, noun: str) -> str:
    """`8 scenarios`, or `7 of 8 scenarios`."""
    return counted(of, noun) if count == of else f"{count:,} of {counted(of, noun)}"


def listed(words: Sequence[str], conjunction: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    return f" {conjunction} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown, a line for each row."""
    ruled = (headings, ["---"] * len(headings), *rows)
    return "".join(f"| {' | '.join(row)} |\n" for row in ruled)


def first_of(words: Sequence[str], most: int = 12) -> str:
    """`a, b, c`; of more than `most` the first ones and `and 7 more`."""
    more = [f"and {len(words) - most} more"] if len(words) > most else []
    return ", ".join([*words[:most], *more])


def total(episodes: int, usage: Usage) -> str:
    """What episodes asked and cost together: `3 episodes, 60 questions, 64 calls, 900 input tokens, ...`."""
    played = f"{counted(episodes, 'episode')}, {counted(usage.questions, 'question')}"
    if not usage.calls:
        return f"{played}, no call of a language model"
    tokens = f"{known(usage.input_tokens)} input tokens, {known(usage.output_tokens)} output tokens"
    paid = "cost unknown" if usage.paid is None else f"{number(usage.paid, 4)} USD paid"
    saved = f" ({number(usage.cached_cost, 4)} USD saved by the cache)" if usage.cached and usage.cached_cost else ""
    return f"{played}, {_calls(usage)}, {tokens}, {paid}{saved}"


def bill(usage: Usage) -> str:
    """Calls, tokens and cost in words; empty if no language model was called."""
    if not usage.calls:
        return ""
    tokens = "" if usage.input_tokens is None else f", {usage.input_tokens:,} tokens in"
    paid = "" if usage.paid is None else f", {usage.paid:.4f} USD"
    saved = f" ({usage.cached_cost:.4f} USD saved by the cache)" if usage.cached and usage.cached_cost else ""
    return f", {_calls(usage)}{tokens}{paid}{saved}"


def with_cached(usage: Usage) -> str:
    """The number of calls for a cell: `40`, or `40 (10 cached)`."""
    return known(usage.calls) + (f" ({usage.cached:,} cached)" if usage.cached else "")


def _calls(usage: Usage) -> str:
    """`40 calls`, `40 calls, 10 from the cache`, `40 calls, all from the cache`."""
    cached = "all" if usage.cached == usage.calls else f"{usage.cached:,}"
    return counted(usage.calls, "call") + (f", {cached} from the cache" if usage.cached else "")

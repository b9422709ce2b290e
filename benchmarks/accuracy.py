"""The accuracy of perception: the agent's pose compared with the engine's, in all scenarios but self-play."""

from __future__ import annotations

from collections import Counter

from hm_agent.worlds.melting_pot.scenarios import all_scenarios
from tests.support.melting_pot.accuracy import check


def main() -> None:
    print("| scenario | exact | wrong | lost | exact, % | unknown patches |\n| --- | --- | --- | --- | --- | --- |")
    total: Counter[str] = Counter()
    for scenario in filter(lambda scenario: scenario.facts, all_scenarios()):
        verdicts, unknown = check(scenario)
        total += verdicts
        _show(scenario.short_name, verdicts, str(unknown))
    _show("all", total, "")


def _show(name: str, verdicts: Counter[str], unknown: str) -> None:
    share = 100 * verdicts["exact"] / verdicts.total()
    print(f"| {name} | {verdicts['exact']} | {verdicts['wrong']} | {verdicts['lost']} | {share:.2f} | {unknown} |")

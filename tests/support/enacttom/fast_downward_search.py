"""Asks Fast Downward's search about a STRIPS problem without its translator, to check our own planner against it.

The translator takes far longer than the search of a small problem, so this module writes what it would write.
"""

from __future__ import annotations

from collections.abc import Sequence

from hm_agent.worlds.enacttom.house.household import Household, bits
from hm_agent.worlds.enacttom.tasks.propositions import SLOTS
from hm_agent.worlds.enacttom.verification.fast_downward import (
    PLAN,
    SEARCH,
    SECONDS,
    Answer,
    planner_folder,
    run_planner,
)
from hm_agent.worlds.enacttom.verification.strips import StripsAction, StripsProblem

INPUT = "translated.sas"
ABSTRACTING = "eager_greedy([ff(), cegar(max_states=10000)])"
"""As `SEARCH`; it also prunes states from which an abstraction has no plan (Seipp and Helmert, 2018)."""


def ask_its_search(household: Household, problem: StripsProblem, *, seconds: float = SECONDS) -> Answer:
    """Asks Fast Downward's search alone. household: the one that the problem is about.

    Half of the time is for a second search, in case the first does not end.
    """
    files = {INPUT: translated(problem, groups_of(household, problem))}
    search = str(planner_folder() / "builds" / "release" / "bin" / "downward")
    answer: Answer = ("unknown", ())
    for method in (SEARCH, ABSTRACTING):
        if answer[0] == "unknown":
            reading = ["sh", "-c", f'exec "$0" "$@" < {INPUT}']
            command = [*reading, search, "--internal-plan-file", PLAN, "--search", method]
            answer = run_planner(problem, files, command, seconds / 2)
    return answer


def groups_of(household: Household, problem: StripsProblem) -> list[int]:
    """The masks of places, rooms and states of one thing of which exactly one holds at any time."""
    groups = _attribute_groups(household)
    return [group for group in groups if holds_once(group, problem.start, problem.actions)]


def _attribute_groups(household: Household) -> list[int]:
    """For each agent, object and piece of furniture, masks of its alternative rooms, places and states."""
    groups: dict[tuple[str, str], int] = {}
    for proposition in household.physical:
        if proposition.predicate in SLOTS:
            slot = SLOTS[proposition.predicate], proposition.arguments[0]
            groups[slot] = groups.get(slot, 0) | household.bits[proposition]
    return list(groups.values())


def holds_once(group: int, start: int, actions: Sequence[StripsAction]) -> bool:
    """True if exactly one atom of a group holds at the start, and no action changes that.

    An action that adds an atom of the group has to delete another that it needs, and vice versa.
    """
    if (start & group).bit_count() != 1:
        return False
    for action in actions:
        added, deleted = action.adds & ~action.needs & group, action.deletes & ~action.adds & group
        if (added or deleted) and not (added.bit_count() == deleted.bit_count() == 1 and deleted & action.needs):
            return False
    return True


def translated(problem: StripsProblem, groups: Sequence[int]) -> str:
    """Writes a problem as the output of Fast Downward's translator (fast-downward.org/TranslatorOutputFormat).

    groups: masks of atoms of which one holds at any time. Each group is one variable, with a value for each atom; any
    other atom is a variable of its own, 0 for true and 1 for false. A goal of two values of one variable can't be
    written: the translator, and this function, write an unsolvable problem without actions instead.
    """
    variables = _Variables(problem, groups)
    if not variables.can_hold(problem.goal):
        return _WITHOUT_A_PLAN
    goal = variables.values(problem.goal)
    useful = (action for action in problem.actions if action.adds & ~action.needs or action.deletes & ~action.adds)
    actions = [_action_lines(action, variables) for action in useful if variables.can_hold(action.needs)]
    parts = [
        *("begin_version", "3", "end_version", "begin_metric", "0", "end_metric", str(len(variables.atoms))),
        *(line for number in range(len(variables.atoms)) for line in variables.lines(number)),
        *("0", "begin_state", *variables.start(), "end_state", "begin_goal", *_counted(goal), "end_goal"),
        *(str(len(actions)), *(line for action in actions for line in action), "0", ""),
    ]
    return "\n".join(parts)


_WITHOUT_A_PLAN = """begin_version
3
end_version
begin_metric
0
end_metric
1
begin_variable
var0
-1
2
Atom reached()
NegatedAtom reached()
end_variable
0
begin_state
1
end_state
begin_goal
1
0 0
end_goal
0
0
"""


class _Variables:
    """The variables of a problem and their values. atoms: the bit of each value of each variable."""

    def __init__(self, problem: StripsProblem, groups: Sequence[int]) -> None:
        self.problem, self.groups = problem, groups
        grouped = sum(groups)
        single = (number for number in range(len(problem.atoms)) if not grouped >> number & 1)
        self.atoms = [*(tuple(bits(group)) for group in groups), *((number,) for number in single)]
        self._value = {
            atom: (place, value) for place, atoms in enumerate(self.atoms) for value, atom in enumerate(atoms)
        }

    def values(self, mask: int) -> list[tuple[int, int]]:
        """Returns the variable and the value that each atom of a mask stands for."""
        return [self._value[number] for number in bits(mask)]

    def can_hold(self, mask: int) -> bool:
        """False if a mask has two values of one variable."""
        return all((mask & group).bit_count() <= 1 for group in self.groups)

    def start(self) -> list[str]:
        """Returns the value of each variable at the start."""
        values = dict(self.values(self.problem.start))
        return [str(values.get(number, 1)) for number in range(len(self.atoms))]

    def is_single(self, variable: int) -> bool:
        """True for a variable of one atom, which is true or false."""
        return len(self.atoms[variable]) == 1

    def lines(self, variable: int) -> list[str]:
        """Writes a variable: its number, no axiom layer (-1), and its values."""
        values = [f"Atom {self.problem.atoms[number]}()" for number in self.atoms[variable]]
        values += [f"NegatedAtom {self.problem.atoms[number]}()" for number in self.atoms[variable] if len(values) == 1]
        return ["begin_variable", f"var{variable}", "-1", str(len(values)), *values, "end_variable"]


def _action_lines(action: StripsAction, variables: _Variables) -> list[str]:
    """Writes an action. A line of an effect: 0 conditions, variable, value before (-1 for any), value after."""
    needed = dict(variables.values(action.needs))
    effects = dict(variables.values(action.adds & ~action.needs))
    deleted = variables.values(action.deletes & ~action.adds)
    effects |= {variable: 1 for variable, _ in deleted if variables.is_single(variable)}
    kept = [(variable, value) for variable, value in needed.items() if variable not in effects]
    lines = [f"0 {variable} {needed.get(variable, -1)} {value}" for variable, value in effects.items()]
    return ["begin_operator", action.name, *_counted(kept), str(len(lines)), *lines, "1", "end_operator"]


def _counted(values: Sequence[tuple[int, int]]) -> list[str]:
    """Returns the number of values, then a line for each."""
    return [str(len(values)), *(f"{variable} {value}" for variable, value in values)]

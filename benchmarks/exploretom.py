"""ExploreToM without any model: the tracker against the reference, speed, tables 7 to 9, weak readers, the reasoner."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from random import Random

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.testing.episodes import play_out, set_up
from hm_agent.worlds.exploretom.questions.asked import AskedProperty
from hm_agent.worlds.exploretom.questions.story_questions import AnsweredStory
from hm_agent.worlds.exploretom.random_stories.action_sets import ACTION_SETS, ActionKind, ActionSet
from hm_agent.worlds.exploretom.random_stories.cast import CastLists, read_cast
from hm_agent.worlds.exploretom.random_stories.sampling import (
    DrawnStory,
    StoryConditions,
    StorySampler,
    draw_story,
    story_of,
)
from hm_agent.worlds.exploretom.readers.readers import WEAK_RULES
from hm_agent.worlds.exploretom.story.belief_definition import DefinedBeliefs
from hm_agent.worlds.exploretom.story.language import text_of

STORIES = int(os.environ.get("STORIES", "2000"))
"""Stories for each cell of the tables and for each action set of the speeds."""
COMPARED = int(os.environ.get("COMPARED", "100000"))
"""Stories on which the tracker is compared with the reference."""
ROUNDS = 10
"""How often a speed is measured, each time with one of so many parts of the stories."""
READ = 100
"""Stories of each action set about which readers answer questions."""
TOMI = (ActionKind.ENTER, ActionKind.LEAVE, ActionKind.MOVE)
PEOPLE, MOVES = (2, 3, 4), (2, 3, 4)
PAPER = {
    "Table 7: stories that need theory of mind": ((0.131, 0.208, 0.235), (0.195, 0.234, 0.288), (0.210, 0.259, 0.315)),
    "Table 8: questions that are interesting": ((0.090, 0.123, 0.124), (0.120, 0.109, 0.121), (0.111, 0.101, 0.112)),
    "Table 9: questions about false beliefs": ((0.059, 0.084, 0.086), (0.065, 0.065, 0.072), (0.056, 0.049, 0.058)),
}
"""Rows are 2, 3, 4 people, columns 2, 3, 4 moves (appendix B.4)."""
CODE = ((0.164, 0.211, 0.245), (0.210, 0.254, 0.290), (0.258, 0.300, 0.313))
"""Table 7 by the code that the paper's authors released, measured with 10,000 stories a cell; the paper has 1,000."""


@dataclass
class Shares:
    """Counts over the stories of one cell. without_rooms: without first-order questions about rooms."""

    stories: int = 0
    need_mind: int = 0
    questions: int = 0
    interesting: int = 0
    false_belief: int = 0
    without_rooms: int = 0
    without_rooms_interesting: int = 0
    without_rooms_false: int = 0

    def add(self, drawn: DrawnStory) -> None:
        questions = AnsweredStory(drawn.script, drawn.tracker).questions((1, 2))
        self.stories += 1
        self.need_mind += any(question.is_interesting for question in questions)
        for question in questions:
            self.questions += 1
            self.interesting += question.is_interesting
            self.false_belief += question.is_false_belief
            if question.asked.about is not AskedProperty.ROOM or question.asked.order == 2:
                self.without_rooms += 1
                self.without_rooms_interesting += question.is_interesting
                self.without_rooms_false += question.is_false_belief


def cell(people: int, moves: int, lists: CastLists, rooms: int = 1) -> Shares:
    """Counts over random stories of ToMi's actions, at most 10 actions long, that end with the last move."""
    conditions = StoryConditions(people, moves, rooms, max_actions=10, needs_everyone=False)
    rng, shares = Random(f"{people}/{moves}"), Shares()
    while shares.stories < STORIES:
        drawn = StorySampler(lists.draw(rng, people, rooms), TOMI, conditions).draw(rng)
        if drawn is not None:
            shares.add(drawn)
    return shares


def tables() -> None:
    started = time.process_time()
    cells = [[cell(people, moves, read_cast()) for moves in MOVES] for people in PEOPLE]
    print(f"Tables 7 to 9: {9 * STORIES:,} stories, {time.process_time() - started:.1f} CPU seconds\n")
    measured: Sequence[tuple[str, Callable[[Shares], float]]] = (
        ("ours", lambda one: one.need_mind / one.stories),
        ("ours", lambda one: one.interesting / one.questions),
        ("ours", lambda one: one.false_belief / one.questions),
    )
    as_the_authors_count: Sequence[Callable[[Shares], float] | None] = (
        None,
        lambda one: one.without_rooms_interesting / one.without_rooms,
        lambda one: one.without_rooms_false / one.without_rooms,
    )
    for (title, paper), (name, share), other in zip(PAPER.items(), measured, as_the_authors_count, strict=True):
        print(f"{title}; people by moves 2, 3, 4")
        _print_rows("paper", paper)
        if other is None:
            _print_rows("authors' code, measured", CODE)
        ours = [[share(one) for one in row] for row in cells]
        _print_rows(name, ours, paper)
        if other is not None:
            counted = [[other(one) for one in row] for row in cells]
            _print_rows("ours, without first-order rooms", counted, paper)
        print()


def two_rooms() -> None:
    """Prints table 7 for stories in two rooms, beside the authors' code's."""
    cells = [[cell(people, moves, read_cast(), rooms=2) for moves in MOVES] for people in PEOPLE]
    print("Table 7 in two rooms; people by moves 2, 3, 4")
    _print_rows("authors' code, measured", CODE)
    _print_rows("ours", [[one.need_mind / one.stories for one in row] for row in cells], CODE, "the code's")
    print()


def _print_rows(
    name: str,
    rows: Sequence[Sequence[float]],
    paper: Sequence[Sequence[float]] | None = None,
    whose: str = "the paper's",
) -> None:
    text = " | ".join(" ".join(f"{share:.3f}" for share in row) for row in rows)
    far = ""
    if paper:
        pairs = zip(chain(*rows), chain(*paper), strict=True)
        far = f"  (at most {max(abs(one - two) for one, two in pairs):.3f} from {whose})"
    print(f"  {name:32} {text}{far}")


def speed() -> None:
    """Prints stories per CPU second, by the fastest of some rounds, so that other work on the machine counts little."""
    lists, number = read_cast(), max(STORIES // ROUNDS, 1)
    print(f"Stories per CPU second, {number} of each kind: with all beliefs | with text and every answer too")
    kinds = {"ToMi's actions, 4 people, 4 moves": partial(four_people, number, lists)}
    kinds |= {name: partial(stories_of, chosen, number, lists) for name, chosen in ACTION_SETS.items()}
    for name, draw in kinds.items():
        actions = sum(len(drawn.script.actions) for drawn in draw()) / number
        with_beliefs, with_text = number / seconds(draw), number / seconds(draw, ask_all)
        print(f"  {name:34} {actions:5.1f} actions {with_beliefs:9,.0f} {with_text:9,.0f}", flush=True)
    print()


def four_people(number: int, lists: CastLists) -> list[DrawnStory]:
    """Random stories of ToMi's actions."""
    rng, conditions = Random(1), StoryConditions(people=4, important=4)
    return [draw_story(rng, lists, TOMI, conditions) for _ in range(number)]


def stories_of(chosen: ActionSet, number: int, lists: CastLists) -> list[DrawnStory]:
    """The stories of the first seeds."""
    return [story_of(seed, chosen, lists) for seed in range(number)]


def ask_all(stories: list[DrawnStory]) -> None:
    """Makes the text of stories, and every question and answer."""
    for drawn in stories:
        text_of(drawn.script)
        for question in AnsweredStory(drawn.script, drawn.tracker).questions():
            _ = question.asked.text


def seconds(draw: Callable[[], list[DrawnStory]], use: Callable[[list[DrawnStory]], object] = len) -> float:
    """CPU time of the fastest round of drawing stories and using them."""
    times = []
    for _ in range(ROUNDS):
        started = time.process_time()
        use(draw())
        times.append(time.process_time() - started)
    return min(times)


def compare() -> None:
    """Compares the tracker's beliefs with those by their definition, over the action sets in turn."""
    lists, sets, differing, beliefs = read_cast(), list(ACTION_SETS.values()), 0, 0
    for seed in range(COMPARED):
        drawn = story_of(seed, sets[seed % len(sets)], lists, sees_contents=seed % 5 == 0)
        tracker, reference = drawn.tracker, DefinedBeliefs(drawn.script)
        for person in tracker.people:
            for other in tracker.people:
                expected = reference.all_beliefs((person, other))
                keys = {*tracker.known_keys(), *expected}
                beliefs += len(keys)
                differing += sum(tracker.nested_belief(person, other, key) != expected.get(key) for key in keys)
    print(f"Tracker and definition: {COMPARED:,} stories, {beliefs:,} beliefs, {differing} differ\n")


def readers() -> None:
    """Prints the share of right answers of readers that need no language model."""
    names = ("reader", *WEAK_RULES)
    print(f"Right answers, {READ} stories of each action set (`reader` is the built-in reasoner)")
    print(f"  {'':14} {' '.join(f'{name:>15}' for name in names)}")
    for name in ACTION_SETS:
        shares = []
        for agent in names:
            right = asked = 0.0
            for seed in range(READ):
                world, agents = set_up(find_scenarios([f"exploretom_{name}"])[0], agent)
                outcome = play_out(world, agents, seed=seed)
                right, asked = right + outcome.reward, asked + outcome.steps
            shares.append(right / asked)
        print(f"  {name:14} {' '.join(f'{share:15.3f}' for share in shares)}", flush=True)


def main() -> None:
    for section in (speed, tables, two_rooms, readers, compare):
        section()

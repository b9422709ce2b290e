"""`kill -9` of the whole command, repeatedly, and the same command after each: no answer is lost or paid for twice."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from hm_agent.testing.commands import outcomes
from hm_agent.testing.endpoint import Endpoint
from hm_agent.testing.kills import WORKERS, KillTrial, run_trial
from hm_agent.testing.melting_pot import text_player

ROUNDS = 40
EPISODES = 12
AT_ONCE = 6
"""The most requests an episode has under way: it scores five hypotheses and the newest at the same time."""


def main() -> None:
    with TemporaryDirectory() as folder, Endpoint(text_player.answer) as server:
        trial = KillTrial(Path(folder), server, EPISODES)
        rounds = run_trial(trial, ROUNDS)
        found = outcomes(trial.out)
    same = sum(found.get(place) == outcome for place, outcome in trial.expected.items())
    killed, lost = sum(one.was_killed for one in rounds), [one.lost for one in rounds]
    paid_again, left = sum(one.paid_again for one in rounds), sum(one.orphans for one in rounds)
    print("| what | target | measured |\n| --- | --- | --- |")
    print(f"| rounds that were killed | {ROUNDS} | {killed} |")
    print(f"| results and traces as of an undisturbed run | {len(trial.expected)} | {same} of {len(found)} |")
    print(f"| calls paid again that the cache had | 0 | {paid_again} |")
    print(f"| answers under way at a kill, the most | {WORKERS * AT_ONCE} | {max(lost)} |")
    print(f"| answers under way at all kills, beside {trial.undisturbed.total()} kept | - | {sum(lost)} |")
    print(f"| processes left behind | 0 | {left} |")
    lost_too_many = lost[-1] > 0 or max(lost) > WORKERS * AT_ONCE
    if found != trial.expected or paid_again or left or killed != ROUNDS or lost_too_many:
        sys.exit(f"not as expected; the last errors: {rounds[-1].errors}")

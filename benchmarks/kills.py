"""Kills the whole command with `kill -9` and starts it again, many times: no answer may be lost or paid for twice."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from hm_agent.testing.endpoint import Endpoint
from tests.support.kills import WORKERS, KillTrial, run_trial
from tests.support.melting_pot import text_player

KILLS = 40
EPISODES = 12
AT_ONCE = 6
"""The most requests that an episode sends at the same time: it scores five hypotheses and the newest together."""


def main() -> None:
    with TemporaryDirectory() as folder, Endpoint(text_player.answer) as server:
        trial = KillTrial(Path(folder), server, EPISODES)
        rounds = run_trial(trial, KILLS)
    ended = [done for done in rounds if not done.was_killed]
    right, lost = sum(done.is_as_undisturbed for done in ended), [done.lost for done in rounds]
    paid_again, left = sum(done.paid_again for done in rounds), sum(done.orphans for done in rounds)
    print("| what | target | measured |\n| --- | --- | --- |")
    print(f"| runs that were killed | {KILLS} | {len(rounds) - len(ended)} |")
    print(f"| runs that ended, with results and traces as undisturbed | {len(ended)} | {right} |")
    print(f"| cached answers that were paid again | 0 | {paid_again} |")
    print(f"| answers under way at a kill, the most | {WORKERS * AT_ONCE} | {max(lost)} |")
    print(f"| answers under way at all kills, beside {trial.undisturbed.total()} kept | - | {sum(lost)} |")
    print(f"| processes left behind | 0 | {left} |")
    lost_too_many = any(done.lost for done in ended) or max(lost) > WORKERS * AT_ONCE
    if right < len(ended) or paid_again or left or lost_too_many:
        sys.exit(f"not as expected; the last errors: {rounds[-1].errors}")

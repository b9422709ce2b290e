"""One episode after the other, in this very process."""

from __future__ import annotations

import traceback
from collections.abc import Generator, Sequence
from contextlib import closing
from functools import partial

from hm_agent.engines.engine import Heartbeat, Progress
from hm_agent.experiment import Episode
from hm_agent.models.budget import Account
from hm_agent.models.providers import Provider, provider_of
from hm_agent.playing import crashed, play
from hm_agent.recording.result import INTERRUPTED, Result


class InlineEngine:
    """Needs no other process, and so is quickest for few episodes and easiest to look into."""

    def play(self, episodes: Sequence[Episode], account: Account, progress: Progress) -> Generator[Result]:
        if not episodes:
            return
        with closing(provider_of(episodes[0].experiment.model, account)) as provider:
            for episode in episodes:
                progress.begin(episode)
                result = _played(episode, provider, progress)
                progress.end(episode, result)
                yield result
                if result.status == INTERRUPTED:
                    raise KeyboardInterrupt
                if result.stops_the_run:
                    return


def _played(episode: Episode, provider: Provider, progress: Progress) -> Result:
    try:
        return play(episode, provider, Heartbeat(partial(progress.pulse, episode)))
    except OSError:
        raise
    except Exception:  # noqa: BLE001 - one episode's trouble is not the others'
        return crashed(episode, traceback.format_exc())

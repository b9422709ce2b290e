"""The limit on a process's open files and connections, checked before it is reached."""

from __future__ import annotations

import resource

from hm_agent.config import ConfigError

OWN_FILES = 50
"""Files that a process has open besides those of its episodes: libraries, the cache, pipes between processes."""
FILES_OF_EPISODE = 2
"""Files that an episode has open: its trace and its video."""


def allow_files(at_once: int, connections: int) -> None:
    """Raises the limit on open files, as far as that is allowed, to what episodes at the same time may need.

    connections: those of an episode. Raises ConfigError if that is not enough; processes started later inherit it.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    of_episode = FILES_OF_EPISODE + connections
    needed = OWN_FILES + at_once * of_episode
    if soft == resource.RLIM_INFINITY or needed <= soft:
        return
    if hard != resource.RLIM_INFINITY and needed > hard:
        fitting = max(1, (hard - OWN_FILES) // of_episode)
        raise ConfigError(
            f"--concurrency={at_once}: so many episodes may open {needed} files and connections at once, and a process "
            f"may open {hard} here: say --concurrency={fitting}, or raise the limit (ulimit -n)"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))

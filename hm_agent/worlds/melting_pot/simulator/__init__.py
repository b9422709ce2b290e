"""DeepMind's Melting Pot; nothing outside this package imports it."""

from hm_agent.worlds.melting_pot.simulator.quiet import import_quietly

import_quietly("tensorflow")

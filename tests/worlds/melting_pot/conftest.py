import hm_agent.worlds.melting_pot.simulator  # noqa: F401 - before tests import Melting Pot, which imports TensorFlow

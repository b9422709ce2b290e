"""What of open games needs Melting Pot itself: scripted players, and the files of games."""

from hm_agent.worlds.melting_pot import simulator as simulator  # before Melting Pot itself, so that no TensorFlow loads

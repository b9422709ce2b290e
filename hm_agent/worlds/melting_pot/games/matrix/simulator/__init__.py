"""What of matrix games needs Melting Pot itself: puppets, puppeteers, and the files of games."""

from hm_agent.worlds.melting_pot import simulator as simulator  # before Melting Pot itself, so that no TensorFlow loads

"""What of common goods needs Melting Pot itself: scripted players and puppets."""

from hm_agent.worlds.melting_pot import simulator as simulator  # before Melting Pot itself, so that no TensorFlow loads

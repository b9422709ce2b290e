"""What of daycare needs Melting Pot itself: scripted parents and children."""

from hm_agent.worlds.melting_pot import simulator as simulator  # before Melting Pot itself, so that no TensorFlow loads

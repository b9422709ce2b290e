"""What of kitchens needs Melting Pot itself: chefs."""

from hm_agent.worlds.melting_pot import simulator as simulator  # before Melting Pot itself, so that no TensorFlow loads

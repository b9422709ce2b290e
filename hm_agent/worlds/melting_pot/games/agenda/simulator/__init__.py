"""What of Hidden Agenda needs Melting Pot itself: scripted crews and impostors."""

from hm_agent.worlds.melting_pot import simulator as simulator  # before Melting Pot itself, so that no TensorFlow loads

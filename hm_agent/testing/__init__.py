"""For tests of your own agents: a scripted model, an endpoint on loopback, whole episodes."""

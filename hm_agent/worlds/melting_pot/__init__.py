"""The wing of DeepMind's Melting Pot; no other part of `hm_agent` imports it, apart from `testing.melting_pot`."""

"""DeepMind's Melting Pot; nothing outside this package imports it."""

"""Repeated games of two in normal form: payoffs, the rules by which opponents play, and exact answers to them."""

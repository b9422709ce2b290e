"""A live page of a run while it is played: `hm-agent watch OUT`."""

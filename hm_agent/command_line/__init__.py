"""The command `hm-agent`: what can be asked for, its flags, and what a terminal shows of a run."""

"""Random household tasks, and a slow reference for the verifier."""

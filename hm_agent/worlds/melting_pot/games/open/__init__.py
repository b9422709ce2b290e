"""Any substrate, as far as its configuration tells what a frame shows; no agent that plans plays it yet."""

"""What the learners of several worlds share: layers, PPO, learning curves, checkpoints, progress in a line."""

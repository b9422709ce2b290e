"""DeepMind's Melting Pot; nothing outside this package imports it."""

import os

# Melting Pot imports TensorFlow, which greets everybody with a page of remarks on the machine's GPUs.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

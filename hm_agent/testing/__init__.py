"""What tests and benchmarks share: a scripted model, an endpoint on loopback, whole commands and trials of them."""

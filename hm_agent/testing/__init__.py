"""What tests and benchmarks share: a scripted model, endpoints on loopback, whole commands."""

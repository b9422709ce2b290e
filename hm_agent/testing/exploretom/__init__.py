"""What the tests and benchmarks of ExploreToM share."""

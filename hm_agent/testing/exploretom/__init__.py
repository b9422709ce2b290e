"""What tests and benchmarks of ExploreToM share."""

"""Any substrate, by what its configuration tells: seen on a map, remembered, and planned in by a few calls."""

"""Where the episodes of an experiment are played: in this process, in several, or on other machines."""

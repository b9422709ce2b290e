"""Files that outlive a kill, a full disk and other processes: written whole, locked, appended to, cleared away."""

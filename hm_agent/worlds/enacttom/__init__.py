"""EnactToM: a household in which acting well needs knowing who knows what (Juneja et al., 2026)."""

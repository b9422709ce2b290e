"""SymmToM in JAX: the rules, K matrices and observation vectors of many games at once, equal to the reference."""

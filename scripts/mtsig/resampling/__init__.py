"""Bootstrap, randomization, intervals and ranks, on arrays of sufficient statistics."""

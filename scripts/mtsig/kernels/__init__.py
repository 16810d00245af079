"""Small compiled kernels and their Python twins."""

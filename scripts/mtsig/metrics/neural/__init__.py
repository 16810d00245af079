"""Neural metrics: the score store, the scorer, and what must be there before it can run."""

"""Metrics: from hypotheses and references to sufficient statistics and scores."""

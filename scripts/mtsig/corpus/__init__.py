"""Readers of every input format, and the evaluation set they give."""

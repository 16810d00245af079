"""The checks behind `mtsig.corpus.lint`, one module per kind of fault."""

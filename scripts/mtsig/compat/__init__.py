"""Functions of other tools under their own names and definitions, computed with mtsig's resampling."""

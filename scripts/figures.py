"""Entry of the rule `figures`."""

from mtsig.entry import run
from mtsig.steps.figures import figures

if __name__ == "__main__":
    run(figures, snakemake)  # noqa: F821 - Snakemake puts this name here

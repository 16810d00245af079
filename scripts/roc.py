"""Entry of the rule `roc`."""

from mtsig.entry import run
from mtsig.steps.roc import roc

if __name__ == "__main__":
    run(roc, snakemake)  # noqa: F821 - Snakemake puts this name here

"""Entry of the rule `truth`."""

from mtsig.entry import run
from mtsig.steps.truth import truth

if __name__ == "__main__":
    run(truth, snakemake)  # noqa: F821 - Snakemake puts this name here

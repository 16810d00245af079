"""Entry of the rule `robustness`."""

from mtsig.entry import run
from mtsig.steps.robustness import robustness

if __name__ == "__main__":
    run(robustness, snakemake)  # noqa: F821 - Snakemake puts this name here

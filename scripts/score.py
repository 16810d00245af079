"""Entry of the rule `score`."""

from mtsig.entry import run
from mtsig.steps.score import score

if __name__ == "__main__":
    run(score, snakemake)  # noqa: F821 - Snakemake puts this name here

"""Entry of the rule `null`."""

from mtsig.entry import run
from mtsig.steps.null import null

if __name__ == "__main__":
    run(null, snakemake)  # noqa: F821 - Snakemake puts this name here

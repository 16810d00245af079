"""Entry of the rule `meta`."""

from mtsig.entry import run
from mtsig.steps.meta import meta

if __name__ == "__main__":
    run(meta, snakemake)  # noqa: F821 - Snakemake puts this name here

"""Entry of the rule `tables`."""

from mtsig.entry import run
from mtsig.steps.tables import tables

if __name__ == "__main__":
    run(tables, snakemake)  # noqa: F821 - Snakemake puts this name here

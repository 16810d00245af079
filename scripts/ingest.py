"""Entry of the rule `ingest`."""

from mtsig.entry import run
from mtsig.steps.ingest import ingest

if __name__ == "__main__":
    run(ingest, snakemake)  # noqa: F821 - Snakemake puts this name here

"""Entry of the rule `meta_report`."""

from mtsig.entry import run
from mtsig.steps.meta_report import meta_report

if __name__ == "__main__":
    run(meta_report, snakemake)  # noqa: F821 - Snakemake puts this name here

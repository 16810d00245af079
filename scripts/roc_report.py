"""Entry of the rule `roc_report`."""

from mtsig.entry import run
from mtsig.steps.roc_report import roc_report

if __name__ == "__main__":
    run(roc_report, snakemake)  # noqa: F821 - Snakemake puts this name here

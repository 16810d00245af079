"""Entry of the rule `null_report`."""

from mtsig.entry import run
from mtsig.steps.null_report import null_report

if __name__ == "__main__":
    run(null_report, snakemake)  # noqa: F821 - Snakemake puts this name here

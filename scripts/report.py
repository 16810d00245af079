"""Entry of the rule `report`."""

from mtsig.entry import run
from mtsig.steps.report import report

if __name__ == "__main__":
    run(report, snakemake)  # noqa: F821 - Snakemake puts this name here

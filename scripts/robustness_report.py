"""Entry of the rule `robustness_report`."""

from mtsig.entry import run
from mtsig.steps.robustness_report import robustness_report

if __name__ == "__main__":
    run(robustness_report, snakemake)  # noqa: F821 - Snakemake puts this name here

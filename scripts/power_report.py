"""Entry of the rule `power_report`."""

from mtsig.entry import run
from mtsig.steps.power_report import power_report

if __name__ == "__main__":
    run(power_report, snakemake)  # noqa: F821 - Snakemake puts this name here

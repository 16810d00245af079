"""Entry of the rule `calibration_report`."""

from mtsig.entry import run
from mtsig.steps.calibration_report import calibration_report

if __name__ == "__main__":
    run(calibration_report, snakemake)  # noqa: F821 - Snakemake puts this name here

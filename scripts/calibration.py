"""Entry of the rule `calibration`."""

from mtsig.entry import run
from mtsig.steps.calibration import calibration

if __name__ == "__main__":
    run(calibration, snakemake)  # noqa: F821 - Snakemake puts this name here

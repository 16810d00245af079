"""Entry of the rule `resample`."""

from mtsig.entry import run
from mtsig.steps.resample import resample

if __name__ == "__main__":
    run(resample, snakemake)  # noqa: F821 - Snakemake puts this name here

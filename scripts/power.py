"""Entry of the rule `power`."""

from mtsig.entry import run
from mtsig.steps.power import power

if __name__ == "__main__":
    run(power, snakemake)  # noqa: F821 - Snakemake puts this name here

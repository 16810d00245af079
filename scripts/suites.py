"""Entry of the rule `suites`."""

from mtsig.entry import run
from mtsig.steps.suites import suites

if __name__ == "__main__":
    run(suites, snakemake)  # noqa: F821 - Snakemake puts this name here
